import { useSyncExternalStore } from 'react';
import { StillCanvas } from './still-canvas.tsx';
import classes from './stream-view.module.css';
import type { Viewer } from './viewer.ts';

/** Shown in place of the video: the recorded frame at the dragged playhead. */
export function ScrubbedStill({ viewer }: { viewer: Viewer }) {
  const isShown = useSyncExternalStore(viewer.leading.subscribe, viewer.leading.getIsShown);
  const { still } = useSyncExternalStore(viewer.scrubber.subscribe, viewer.scrubber.getScrub);
  if (!isShown || !still) return null;
  return <StillCanvas scrubber={viewer.scrubber} className={classes.still} />;
}
