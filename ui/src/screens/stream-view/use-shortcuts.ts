import { useEffect } from 'react';
import type { Viewer } from './viewer.ts';

const STEP_MS = 10_000;

/** Keys that work wherever the focus is, except where it types or chooses: space, K, J, L, M, F and the timeline's. */
export function useShortcuts(viewer: Viewer | undefined, toggleFullScreen: () => void): void {
  useEffect(() => {
    if (!viewer) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (
        target.closest(
          'input, select, textarea, [role=menu], [role=dialog], [contenteditable]',
        )
      )
        return;
      const isOnControl = target.closest('button, a') !== null;
      if (!act(viewer, event, isOnControl, toggleFullScreen)) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [viewer, toggleFullScreen]);
}

/** True when the key meant something. */
function act(
  viewer: Viewer,
  event: KeyboardEvent,
  isOnControl: boolean,
  toggleFullScreen: () => void,
): boolean {
  const { player, timeline } = viewer;
  switch (event.key.toLowerCase()) {
    case ' ':
      if (isOnControl) return false;
      player.toggle();
      return true;
    case 'k':
      player.toggle();
      return true;
    case 'j':
      timeline.step(-STEP_MS);
      return true;
    case 'l':
      timeline.step(STEP_MS);
      return true;
    case 'm':
      player.setMuted(!player.getSnapshot().isMuted);
      return true;
    case 'f':
      toggleFullScreen();
      return true;
    default:
      return event.key.length === 1 || !isOnControl ? timeline.key(event.key, event.shiftKey) : false;
  }
}
