import { useEffect } from 'react';
import { keyMeaning } from '../stream-view/key-meaning.ts';
import type { DigestPlayer } from './digest-player.ts';

/** J and K (and the arrows) for the next and previous clip, Space to pause, F for the full screen. */
export function useDigestKeys(player: DigestPlayer, onFullScreen: () => void): void {
  useEffect(() => {
    const go = (by: number) => player.goTo(player.getSnapshot().place + by);
    const acts: Readonly<Record<string, () => void>> = {
      j: () => go(1),
      k: () => go(-1),
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      ' ': () => player.toggle(),
      f: onFullScreen,
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest('input, select, textarea, [role=menu], [role=dialog]')) return;
      const key = keyMeaning(event);
      // On a control it belongs to the control; a clip in the list is chosen with Enter.
      if (key === ' ' && target.closest('button:not([data-clip]), a')) return;
      if (!Object.hasOwn(acts, key)) return;
      acts[key]?.();
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [player, onFullScreen]);
}
