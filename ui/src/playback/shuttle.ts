import { playbackSpeeds } from '@vidette/contract/constants';

/** Direction and speed of archive playback. */
export interface Shuttle {
  readonly speed: (typeof playbackSpeeds)[number];
  readonly isReverse: boolean;
}

/**
 * J (-1) and L (1) as editors know them: pressing the same key again doubles the speed, the other one reverses
 * at speed 1.
 * @param now undefined while paused
 */
export function shuttled(now: Shuttle | undefined, direction: 1 | -1): Shuttle {
  const isReverse = direction < 0;
  if (!now || now.isReverse !== isReverse) return { speed: 1, isReverse };
  return { speed: playbackSpeeds.find((speed) => speed > now.speed) ?? now.speed, isReverse };
}
