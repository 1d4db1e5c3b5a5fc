import type { Disposer, PageClock } from '../base/clock.ts';

export interface TickEvents {
  /** Several times a second. */
  readonly onTick: () => void;
  /** The machine was asleep until now; a tick follows. */
  readonly onSlept: () => void;
}

const TICK_MS = 100;
/** A timer this late means that the machine slept. */
const SLEPT_MS = 5000;

/** Drives players, until it is cancelled. */
export function startTicks(clock: PageClock, events: TickEvents): Disposer {
  let tickedWallMs = clock.wallMs();
  return clock.every(TICK_MS, () => {
    const wallMs = clock.wallMs();
    if (wallMs - tickedWallMs > SLEPT_MS) events.onSlept();
    tickedWallMs = wallMs;
    events.onTick();
  });
}
