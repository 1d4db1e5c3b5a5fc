import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Player } from '../player.ts';
import type { PlayerSnapshot } from '../state.ts';

/** The state of a player; re-renders on each change. */
export function usePlayer(player: Player): PlayerSnapshot {
  return useSyncExternalStore(player.subscribe, player.getSnapshot);
}

const CLOCK_MS = 250;

/**
 * The continuously changing values of a player, which its snapshot omits: the moment on screen and how far
 * behind it is.
 */
export function usePlayerClock(player: Player): { utcMs: number | undefined; delayMs: number | undefined } {
  const [clock, setClock] = useState(() => ({ utcMs: player.utcMs, delayMs: player.delayMs }));
  useEffect(() => {
    const read = () => setClock({ utcMs: player.utcMs, delayMs: player.delayMs });
    read();
    const timer = setInterval(read, CLOCK_MS);
    return () => clearInterval(timer);
  }, [player]);
  return clock;
}
