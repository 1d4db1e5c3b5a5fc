import { useEffect } from 'react';
import { VIDEO_ZOOM_STEP, type VideoViewport } from '../../playback/video-viewport.ts';
import { timelineKey } from '../../timeline/timeline-keys.ts';
import { keyMeaning } from './key-meaning.ts';
import type { Neighbours } from './use-neighbours.ts';
import type { Viewer } from './viewer.ts';

/** The targets of the screen's keyboard shortcuts. */
export interface ShortcutTargets {
  readonly viewer: Viewer | undefined;
  readonly view: VideoViewport;
  readonly toggleFullScreen: () => void;
  readonly toggleFigures: () => void;
  readonly showKeys: () => void;
  readonly neighbours: Pick<Neighbours, 'showAt' | 'showBeside'>;
}

type Act = (viewer: Viewer, targets: ShortcutTargets) => void;

/** Every key but the timeline's own, which also work here. */
const acts: Readonly<Record<string, Act>> = {
  k: ({ player }) => player.toggle(),
  j: ({ player }) => player.shuttle(-1),
  l: ({ player }) => player.shuttle(1),
  ',': ({ player }) => player.step(-1),
  '.': ({ player }) => player.step(1),
  a: ({ player }) => player.step(-1),
  d: ({ player }) => player.step(1),
  m: ({ player }) => player.setMuted(!player.getSnapshot().isMuted),
  f: (_, { toggleFullScreen }) => toggleFullScreen(),
  i: (_, { toggleFigures }) => toggleFigures(),
  z: (_, { view }) => view.zoomBy(VIDEO_ZOOM_STEP),
  x: (_, { view }) => view.zoomBy(1 / VIDEO_ZOOM_STEP),
  r: (_, { view }) => view.reset(),
  '?': (_, { showKeys }) => showKeys(),
};

/** Keys that work wherever the focus is, except in text fields and selects. */
export function useShortcuts(targets: ShortcutTargets): void {
  useEffect(() => {
    const { viewer } = targets;
    if (!viewer) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (
        target.closest(
          'input:not([type=range]), select, textarea, [role=menu], [role=dialog], [contenteditable]',
        )
      )
        return;
      const isOnControl = target.closest('button, a, input') !== null;
      if (!act(viewer, targets, event, isOnControl)) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [targets]);
}

/** True when the key was handled. */
function act(viewer: Viewer, targets: ShortcutTargets, event: KeyboardEvent, isOnControl: boolean): boolean {
  const key = keyMeaning(event);
  if (key === ' ') {
    if (isOnControl) return false;
    viewer.player.toggle();
    return true;
  }
  if (showsOther(targets, event, key)) return true;
  const found = Object.hasOwn(acts, key) ? acts[key] : undefined;
  if (found) {
    found(viewer, targets);
    return true;
  }
  return key.length === 1 || !isOnControl ? timelineKey(viewer.timeline, key, event.shiftKey) : false;
}

/** Digits show the camera at that place of the strip, 0 the tenth; Up and Down the one beside this one. */
function showsOther(
  { neighbours }: ShortcutTargets,
  { target, shiftKey }: KeyboardEvent,
  key: string,
): boolean {
  if (/^[0-9]$/.test(key)) {
    neighbours.showAt((Number(key) + 9) % 10);
    return true;
  }
  if (shiftKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return false;
  // A slider moves by them.
  if (target instanceof Element && target.closest('input')) return false;
  neighbours.showBeside(key === 'ArrowUp' ? -1 : 1);
  return true;
}
