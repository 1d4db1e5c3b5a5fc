import { browserClock } from '../../../base/clock.ts';
import { browserMse } from '../../../playback/media-sink.ts';
import { Player } from '../../../playback/player.ts';
import { streamRanges } from './stream-ranges.ts';
import { streamSource } from './stream-source.ts';

/** What a short clip needs of a player. */
export type ClipPlayer = Pick<
  Player,
  'getSnapshot' | 'utcMs' | 'isSeeking' | 'seek' | 'play' | 'pause' | 'setSpeed' | 'wake' | 'dispose'
>;

/**
 * A muted player of one camera's archive in an element, without a timeline.
 * @param rangesMaxMs longest request for ranges, ms
 */
export function clipPlayer(uid: string, video: HTMLVideoElement, rangesMaxMs: number): ClipPlayer {
  // What can't be played is reported by the player.
  const ranges = streamRanges(uid, { rangesMaxMs, onError: () => {} });
  const player = new Player({
    video,
    environment: browserMse(),
    clock: browserClock,
    source: streamSource(uid, ranges),
  });
  player.setMuted(true);
  return {
    getSnapshot: player.getSnapshot,
    get utcMs() {
      return player.utcMs;
    },
    get isSeeking() {
      return player.isSeeking;
    },
    seek: (utcMs) => player.seek(utcMs),
    play: () => player.play(),
    pause: () => player.pause(),
    setSpeed: (speed) => player.setSpeed(speed),
    wake: () => player.wake(),
    dispose: () => {
      player.dispose();
      ranges.pause();
    },
  };
}
