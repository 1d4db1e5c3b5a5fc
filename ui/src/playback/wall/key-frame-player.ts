import { parseInit } from '@vidette/media/fmp4/read-init';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { PageClock } from '../../base/clock.ts';
import { spokenCodec } from '../codec-name.ts';
import { FrameArrivals, type Absence } from '../frame-arrivals.ts';
import type { LiveLink, LiveLinkEvents } from '../live-link.ts';
import type { ReceivedLiveMessage } from '@vidette/contract/live';
import { spanAt, type MediaElement } from '../media-element.ts';
import type { MediaSink } from '../media-sink.ts';
import { isFinalCode, type PlayerState } from '../state.ts';
import type { TileFeed } from './tile-feed.ts';

export interface KeyFramePlayerOptions {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  /** Requests the key frames of the stream. */
  readonly connect: (events: LiveLinkEvents) => LiveLink;
  readonly onState: (state: PlayerState) => void;
}

/** Key frames older than this are removed, seconds. */
const KEEP_S = 1;
/** Offset into a frame, so that rounding doesn't find the one before it, seconds. */
const INSIDE_S = 0.001;
const BREAKS_LIMIT = 4;

/**
 * A live stream as a sequence of still frames: each key frame is shown on arrival, by a seek of a paused
 * element. The browser decodes one frame per key frame and nothing in between.
 */
export class KeyFramePlayer implements TileFeed {
  readonly #options: KeyFramePlayerOptions;
  readonly #link: LiveLink;
  readonly #arrivals: FrameArrivals;
  #mimeType: string | undefined;
  #timescales: ReadonlyMap<number, number> = new Map();
  #isInitDue = false;
  /** The newest appended key frame, seconds of UTC. */
  #newest: number | undefined;
  #shown: number | undefined;
  #breaks = 0;
  /** A frame has arrived since the link reported that none come. */
  #isFresh = false;
  #hasFailed = false;
  #isDisposed = false;

  constructor(options: KeyFramePlayerOptions) {
    this.#options = options;
    this.#arrivals = new FrameArrivals(options.clock);
    options.video.pause();
    options.onState({ name: 'connecting' });
    // Never rejects; appends made meanwhile are queued behind it.
    void options.sink.clear();
    this.#link = options.connect({
      onMessage: (message) => this.#onMessage(message),
      onMedia: (bytes) => this.#onMedia(bytes),
      onLost: () => {
        this.#mimeType = undefined;
        this.#stop('network');
      },
    });
  }

  /** Called several times a second, and when the sink has buffered something. */
  tick(): void {
    const { video, onState } = this.#options;
    if (this.#isDisposed || this.#hasFailed) return;
    this.#showNewest();
    const { absence } = this.#arrivals;
    if (absence !== undefined) onState({ name: 'waiting', reason: absence });
    // The frame on screen when the frames stopped does not count as live until another one is shown.
    else if (this.#isFresh && this.#shown === this.#newest && !video.seeking && video.readyState >= 2)
      onState({ name: 'playing' });
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

  #stop(absence: Absence): void {
    this.#isFresh = false;
    this.#arrivals.stop(absence);
    this.#options.onState({ name: 'waiting', reason: absence });
  }

  /** Everything appended was lost; requests the stream again. */
  onSinkBroken(): void {
    if (this.#isDisposed) return;
    this.#breaks += 1;
    if (this.#breaks >= BREAKS_LIMIT) {
      this.#fail({ name: 'unsupported', codec: spokenCodec(this.#mimeType ?? '') });
      return;
    }
    this.#mimeType = undefined;
    this.#newest = this.#shown = undefined;
    this.#arrivals.restart();
    this.#link.restart();
  }

  /** Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#link.close();
  }

  #onMessage(message: ReceivedLiveMessage): void {
    const { sink } = this.#options;
    switch (message.type) {
      case 'init':
        if (!sink.isSupported(message.mimeType)) {
          this.#fail({ name: 'unsupported', codec: spokenCodec(message.mimeType) });
          return;
        }
        this.#arrivals.resume();
        this.#mimeType = message.mimeType;
        this.#isInitDue = true;
        sink.setType(message.mimeType);
        return;
      case 'waiting':
        this.#stop('source');
        return;
      case 'end':
        if (isFinalCode(message.code)) this.#fail({ name: 'failed', code: message.code });
        else this.#stop('source');
        return;
      case 'skipped':
        // Dropped key frames are not worth a notice where most frames are left out.
        return;
    }
  }

  #onMedia(bytes: Uint8Array): void {
    if (this.#mimeType === undefined) return;
    this.#options.sink.append(bytes);
    if (this.#isInitDue) {
      this.#isInitDue = false;
      this.#timescales = new Map(parseInit(bytes).map(({ id, timescale }) => [id, timescale]));
      return;
    }
    const newest = this.#startOf(bytes);
    if (newest === undefined || newest === this.#newest) return;
    this.#newest = newest;
    this.#isFresh = true;
    this.#arrivals.note();
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

  #fail(state: PlayerState): void {
    this.#hasFailed = true;
    this.#link.close();
    this.#options.onState(state);
  }
}
