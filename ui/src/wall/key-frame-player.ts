import { parseInit } from '@vidette/media/fmp4/read-init';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { spokenCodec } from '../player/codec-name.ts';
import type { LiveLink, LiveLinkEvents } from '../player/live-link.ts';
import type { LiveMessage } from '../player/live-message.ts';
import { spanAt, type MediaElement } from '../player/media-element.ts';
import type { MediaSink } from '../player/media-sink.ts';
import { isFinalCode, type PlayerState } from '../player/state.ts';
import type { TileFeed } from './tile-feed.ts';

export interface KeyFramePlayerOptions {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  /** Asks for the key frames of the stream. */
  readonly connect: (events: LiveLinkEvents) => LiveLink;
  readonly onState: (state: PlayerState) => void;
}

/** Older key frames than this are given back, seconds. */
const KEEP_S = 1;
/** Into a picture, so that rounding doesn't find the one before it, seconds. */
const INSIDE_S = 0.001;
const BREAKS_LIMIT = 4;

/**
 * A live stream as a row of stills: each key frame is shown as it comes, by a seek of an element that stands. The
 * browser decodes one picture per key frame and nothing in between.
 */
export class KeyFramePlayer implements TileFeed {
  readonly #options: KeyFramePlayerOptions;
  readonly #link: LiveLink;
  #mimeType: string | undefined;
  #timescales: ReadonlyMap<number, number> = new Map();
  #isInitDue = false;
  /** The newest key frame that was appended, seconds of UTC. */
  #newest: number | undefined;
  #shown: number | undefined;
  #breaks = 0;
  #isDisposed = false;

  constructor(options: KeyFramePlayerOptions) {
    this.#options = options;
    options.video.pause();
    options.onState({ name: 'connecting' });
    // Never rejects; appends that come meanwhile wait their turn behind it.
    void options.sink.clear();
    this.#link = options.connect({
      onMessage: (message) => this.#onMessage(message),
      onMedia: (bytes) => this.#onMedia(bytes),
      onLost: () => {
        this.#mimeType = undefined;
        options.onState({ name: 'waiting', reason: 'network' });
      },
    });
  }

  /** Called some times a second, and when the sink has taken something in. */
  tick(): void {
    const { video, sink, onState } = this.#options;
    const newest = this.#newest;
    if (this.#isDisposed || newest === undefined) return;
    if (newest !== this.#shown && !video.seeking && spanAt(sink.spans, newest)) {
      this.#shown = newest;
      video.currentTime = newest + INSIDE_S;
      const oldest = sink.spans[0];
      if (oldest && oldest.start < newest - KEEP_S) sink.remove(0, newest - INSIDE_S);
    }
    if (this.#shown !== undefined && !video.seeking && video.readyState >= 2) onState({ name: 'playing' });
  }

  /** Everything appended was lost; asks anew. */
  onSinkBroken(): void {
    if (this.#isDisposed) return;
    this.#breaks += 1;
    if (this.#breaks >= BREAKS_LIMIT) {
      this.#fail({ name: 'unsupported', codec: spokenCodec(this.#mimeType ?? '') });
      return;
    }
    this.#mimeType = undefined;
    this.#newest = this.#shown = undefined;
    this.#link.restart();
  }

  /** Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#link.close();
  }

  #onMessage(message: LiveMessage): void {
    const { sink, onState } = this.#options;
    switch (message.type) {
      case 'init':
        if (!sink.isSupported(message.mimeType)) {
          this.#fail({ name: 'unsupported', codec: spokenCodec(message.mimeType) });
          return;
        }
        this.#mimeType = message.mimeType;
        this.#isInitDue = true;
        sink.setType(message.mimeType);
        return;
      case 'waiting':
        onState({ name: 'waiting', reason: 'source' });
        return;
      case 'end':
        if (isFinalCode(message.code)) this.#fail({ name: 'failed', code: message.code });
        else onState({ name: 'waiting', reason: 'source' });
        return;
      case 'skipped':
        // Key frames left out are no news where most pictures are.
        return;
    }
  }

  #onMedia(bytes: Uint8Array): void {
    if (this.#mimeType === undefined) return;
    this.#options.sink.append(bytes);
    if (this.#isInitDue) {
      this.#isInitDue = false;
      this.#timescales = new Map(parseInit(bytes).map(({ id, timescale }) => [id, timescale]));
    } else this.#newest = this.#startOf(bytes) ?? this.#newest;
  }

  /** When the first picture of a fragment is shown, seconds of UTC. */
  #startOf(bytes: Uint8Array): number | undefined {
    const [moof] = walkBoxes(bytes);
    if (moof?.type !== 'moof') return undefined;
    const [run] = parseFragmentHeader(bytes.subarray(0, moof.size)).tracks;
    const timescale = run && this.#timescales.get(run.trackId);
    const offset = run?.samples[0]?.compositionOffset ?? 0;
    return run && timescale ? (run.baseDts + offset) / timescale : undefined;
  }

  #fail(state: PlayerState): void {
    this.#link.close();
    this.#options.onState(state);
  }
}
