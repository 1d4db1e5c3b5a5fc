import type { PageClock } from '../base/clock.ts';
import type { MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';
import type { PlayerState } from './state.ts';

/** What every playback is created with. It owns neither element nor sink. */
export interface PlaybackParts {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  /** The state to show from now on; none is reported after `dispose`. */
  readonly onState: (state: PlayerState) => void;
}

/**
 * One kind of playback of one stream (live, archive, backwards, key frames, in step with a shared clock), from
 * its creation to its disposal. It feeds the sink, moves the element and reports states; `PlaybackEngine` owns
 * both and decides which kind is in charge. After `dispose` every method does nothing.
 */
export interface Playback {
  /** Whether the engine should play the element now; otherwise it is paused, and moved by seeks. */
  readonly playsElement: boolean;
  /** The moment on screen, or the requested one until its frame is available, UTC ms. */
  readonly utcMs: number | undefined;
  /** Seeking to a moment whose frame is not available yet. */
  readonly isSeeking: boolean;
  /** How long ago the live frame on screen was captured, ms; undefined in the archive and without a frame. */
  readonly delayMs: number | undefined;
  /** The viewer paused, and the element is paused already; or continues. */
  setPaused(isPaused: boolean): void;
  /** The viewer's speed, greater than 0; live video and a shared clock have their own. */
  setSpeed(speed: number): void;
  /** Goes to a moment, UTC ms. False where this playback can't: another one has to begin there. */
  seek(utcMs: number): boolean;
  /** Shows the frame after or before this one. False where it can only be found in the archive. */
  step(direction: 1 | -1): boolean;
  /** Called several times a second, and when the element or the sink has changed. */
  tick(): void;
  /** Network back, tab shown, machine awake: a pause between retries ends now. */
  wake(): void;
  /** The element shows frames. */
  onPlaying(): void;
  /** The element ran out of data. */
  onStalled(): void;
  /** Everything appended was lost. */
  onSinkBroken(): void;
  /** Idempotent. */
  dispose(): void;
}
