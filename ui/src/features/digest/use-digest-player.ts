import { useEffect, useReducer, useState, useSyncExternalStore, type RefObject } from 'react';
import { useSettings } from '../../api/session.ts';
import { browserClock } from '../../base/clock.ts';
import { clipPlayer } from '../stream-view/media/clip-player.ts';
import type { DigestPlan } from '@vidette/contract/digest-plan';
import { DigestPlayer, type DigestSnapshot, type Slot } from './digest-player.ts';

const clockMs = 200;

/** Plays a plan in two elements as long as they exist. */
export function useDigestPlayer(
  plan: DigestPlan,
  firstRef: RefObject<HTMLVideoElement | null>,
  secondRef: RefObject<HTMLVideoElement | null>,
): DigestPlayer | undefined {
  const { rangesMaxSeconds } = useSettings();
  const [player, setPlayer] = useState<DigestPlayer>();
  useEffect(() => {
    if (!firstRef.current || !secondRef.current) return;
    const made = new DigestPlayer({
      parts: plan.parts,
      speed: plan.speed,
      clock: browserClock,
      first: firstRef.current,
      second: secondRef.current,
      open: (uid, video) => clipPlayer(uid, video, rangesMaxSeconds * 1000),
    });
    const onVisible = () => {
      if (document.visibilityState === 'visible') made.wake();
    };
    const onOnline = () => made.wake();
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', onOnline);
    setPlayer(made);
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', onOnline);
      setPlayer(undefined);
      made.dispose();
    };
  }, [plan, firstRef, secondRef, rangesMaxSeconds]);
  return player;
}

/** The state of a digest; re-renders on each change. */
export function useDigest(player: DigestPlayer): DigestSnapshot {
  return useSyncExternalStore(player.subscribe, player.getSnapshot);
}

/** The element whose clip is on screen; undefined in a gap, and while there is a reason in place of the video. */
export function useShownSlot(player: DigestPlayer | undefined, plan: DigestPlan): Slot | undefined {
  const slotNow = () => {
    const { place, slot, failure } = player?.getSnapshot() ?? { place: -1, slot: 0, failure: undefined };
    return plan.parts[place]?.type === 'clip' && failure === undefined ? slot : undefined;
  };
  return useSyncExternalStore(player?.subscribe ?? neverChanges, slotNow);
}

const neverChanges = () => () => {};

/** The moment on screen, several times a second. */
export function useDigestClock(player: DigestPlayer): number | undefined {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => browserClock.every(clockMs, render), [player]);
  // Read here: the time must belong to the part that is rendered.
  return player.utcMs;
}
