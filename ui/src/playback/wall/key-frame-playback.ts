import { parseInit } from '@vidette/media/fmp4/read-init';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { LiveReception, type ConnectLive } from '../live-reception.ts';
import { spanAt } from '../media-element.ts';
import type { Playback, PlaybackParts } from '../playback.ts';

export interface KeyFramePlaybackOptions extends PlaybackParts {
  /** Requests the key frames of the stream. */
  readonly connect: ConnectLive;
}

/** Key frames older than this are removed, seconds. */
const KEEP_S = 1;
/** Offset into a frame, so that rounding doesn't find the one before it, seconds. */
const INSIDE_S = 0.001;

/**
 * A live stream as a sequence of still frames: each key frame is shown on arrival, by a seek of a paused
 * element. The browser decodes one frame per key frame and nothing in between.
 */
export class KeyFramePlayback implements Playback {
  readonly #options: KeyFramePlaybackOptions;
  readonly #reception: LiveReception;
  #timescales: ReadonlyMap<number, number> = new Map();
  #isInitDue = false;
  /** The newest appended key frame, seconds of UTC. */
  #newest: number | undefined;
  #shown: number | undefined;
  /** A frame has arrived since the link reported that none come. */
  #isFresh = false;

  constructor(options: KeyFramePlaybackOptions) {
    this.#options = options;
    const { sink, onState } = options;
    this.#reception = new LiveReception({
      ...options,
      onBegin: () => {
        this.#newest = this.#shown = undefined;
      },
      onInit: () => {
        this.#isInitDue = true;
      },
      onMedia: (bytes) => this.#onMedia(bytes),
      // Dropped key frames are not worth a notice where most frames are left out.
      onSkipped: () => {},
      onReduced: () => {},
      onAway: (reason) => {
        this.#isFresh = false;
        onState({ name: 'waiting', reason });
      },
      onOtherForm: () => void sink.clear(),
    });
    onState({ name: 'connecting' });
    // Never rejects; appends made meanwhile are queued behind it.
    void sink.clear();
    this.#reception.start();
  }

  get playsElement(): boolean {
    return false;
  }

  get utcMs(): number | undefined {
    const { currentTime } = this.#options.video;
    return currentTime > 0 ? currentTime * 1000 : undefined;
  }

  get isSeeking(): boolean {
    return false;
  }

  get delayMs(): number | undefined {
    return undefined;
  }

  setPaused(isPaused: boolean): void {
    this.#reception.setPaused(isPaused);
  }

  /** Key frames are shown when they come. */
  setSpeed(): void {}

  /** The past is in the archive. */
  seek(): boolean {
    return false;
  }

  /** The frames in between are in the archive. */
  step(): boolean {
    return false;
  }

  tick(): void {
    const { video, onState } = this.#options;
    if (!this.#reception.isActive) return;
    this.#showNewest();
    const { absence } = this.#reception.arrivals;
    if (absence !== undefined) onState({ name: 'waiting', reason: absence });
    // The frame on screen when the frames stopped does not count as live until another one is shown.
    else if (this.#isFresh && this.#shown === this.#newest && !video.seeking && video.readyState >= 2) {
      this.#reception.onShown();
      onState({ name: 'playing' });
    }
  }

  wake(): void {
    this.#reception.wake();
  }

  /** The element stays paused: only its seeks matter. */
  onPlaying(): void {}

  onStalled(): void {}

  onSinkBroken(): void {
    this.#reception.onSinkBroken();
  }

  dispose(): void {
    this.#reception.dispose();
  }

  #showNewest(): void {
    const { video, sink } = this.#options;
    const newest = this.#newest;
    if (newest === undefined) return;
    if (newest !== this.#shown && !video.seeking && spanAt(sink.spans, newest)) {
      this.#shown = newest;
      video.currentTime = newest + INSIDE_S;
      const oldest = sink.spans[0];
      if (oldest && oldest.start < newest - KEEP_S) sink.remove(0, newest - INSIDE_S);
    }
  }

  #onMedia(bytes: Uint8Array): void {
    if (this.#isInitDue) {
      this.#isInitDue = false;
      this.#timescales = new Map(parseInit(bytes).map(({ id, timescale }) => [id, timescale]));
      return;
    }
    const newest = this.#startOf(bytes);
    if (newest === undefined || newest === this.#newest) return;
    this.#newest = newest;
    this.#isFresh = true;
    this.#reception.arrivals.note();
  }

  /** Presentation time of a fragment's first frame, seconds of UTC. */
  #startOf(bytes: Uint8Array): number | undefined {
    const [moof] = walkBoxes(bytes);
    if (moof?.type !== 'moof') return undefined;
    const [run] = parseFragmentHeader(bytes.subarray(0, moof.size)).tracks;
    const timescale = run && this.#timescales.get(run.trackId);
    const offset = run?.samples[0]?.compositionOffset ?? 0;
    return run && timescale ? (run.baseDts + offset) / timescale : undefined;
  }
}
