import { playbackSpeeds } from '@vidette/contract/constants';

/** Which way and how fast the archive goes. */
export interface Shuttle {
  readonly speed: (typeof playbackSpeeds)[number];
  readonly isReverse: boolean;
}

/**
 * J (-1) and L (1) as editors know them: the same key again is twice as fast, the other one turns round at speed 1.
 * @param now undefined while it stands
 */
export function shuttled(now: Shuttle | undefined, direction: 1 | -1): Shuttle {
  const isReverse = direction < 0;
  if (!now || now.isReverse !== isReverse) return { speed: 1, isReverse };
  return { speed: playbackSpeeds.find((speed) => speed > now.speed) ?? now.speed, isReverse };
}
