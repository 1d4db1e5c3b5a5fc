import { useSyncExternalStore } from 'react';
import type { Scrubber } from '../../playback/scrubber.ts';
import { drawnLength } from '../../timeline/react/canvas.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import { StillCanvas } from './still-canvas.tsx';
import classes from './timeline-tip.module.css';

interface TimelineTipProps {
  readonly timeline: Timeline;
  readonly scrubber: Scrubber;
  /** The texts for a moment besides its time. */
  readonly textAt: (ms: number) => readonly string[];
}

/** Width of the preview, px of the timeline, and how much of it stays inside the timeline. */
const TIP_WIDTH_PX = 208;
const STILL_PX = 416;

/** The preview of the moment under the pointer: its frame and, if there are any, texts. */
export function TimelineTip({ timeline, scrubber, textAt }: TimelineTipProps) {
  const { hoverMs, scale, isDragging } = useSyncExternalStore(timeline.subscribe, timeline.getView);
  const { still } = useSyncExternalStore(scrubber.subscribe, scrubber.getScrub);
  if (hoverMs === undefined || isDragging) return null;
  const words = textAt(hoverMs);
  const isWanted = timeline.lookMs !== undefined;
  if (words.length === 0 && !isWanted) return null;
  const leftPx = Math.max(0, Math.min(scale.widthPx - TIP_WIDTH_PX, scale.toPx(hoverMs) - TIP_WIDTH_PX / 2));
  return (
    <div
      className={classes.tip}
      style={{ left: drawnLength(leftPx), width: drawnLength(TIP_WIDTH_PX) }}
      data-timeline-tip
    >
      {isWanted && (
        <div className={classes.frame} data-empty={still === undefined}>
          <StillCanvas scrubber={scrubber} className={classes.still} mostPx={STILL_PX} />
        </div>
      )}
      {words.map((line) => (
        <p key={line} className={classes.words}>
          {line}
        </p>
      ))}
    </div>
  );
}
