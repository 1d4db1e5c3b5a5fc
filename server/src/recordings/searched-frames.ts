import type { RecordedKeyFrame } from '../archive/read/read.ts';
import { Fault } from '../base/fault.ts';
import type { ThumbnailReader } from '../ffmpeg/thumbnail-reader.ts';
import type { HuntedFrames } from './change-hunt.ts';
import type { ComparedFrame } from './frame-change.ts';

/** Why a search ended before it was complete. */
export class SearchLimit extends Error {
  readonly reason: 'frames' | 'time' | 'replaced';

  constructor(reason: SearchLimit['reason']) {
    super(`The search ended: ${reason}.`);
    this.name = 'SearchLimit';
    this.reason = reason;
  }
}

export interface SearchedFramesOptions {
  readonly read: (atMs: number) => Promise<RecordedKeyFrame>;
  readonly thumbnails: Pick<ThumbnailReader, 'of'>;
  readonly framesMax: number;
  readonly signal: AbortSignal;
  /** @throws Fault while the server has no room for this work */
  readonly requireRoom: () => void;
}

/** Key frames that are read from the disk while another one is decoded. */
const ahead = 4;

/** The key frames of one search: a limited number, each decoded once. */
export class SearchedFrames implements HuntedFrames {
  readonly #options: SearchedFramesOptions;
  /** By time; undefined: it can't be decoded. */
  readonly #known = new Map<number, Uint8Array | undefined>();
  #unreadable = 0;

  constructor(options: SearchedFramesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#known.size;
  }

  /** How many could not be read or decoded. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** @throws SearchLimit; Fault Unavailable, ServerOverloaded; the signal's reason */
  async at(ms: number): Promise<ComparedFrame | undefined> {
    return this.#decoded(await this.#read(ms));
  }

  /** @throws the same */
  async *each(momentsMs: readonly number[]): AsyncGenerator<ComparedFrame | undefined> {
    const reads: Promise<RecordedKeyFrame | undefined>[] = [];
    const begin = (place: number) => {
      const ms = momentsMs[place];
      if (ms === undefined) return;
      const read = this.#read(ms);
      // Awaited in its turn, which may not come.
      read.catch(() => {});
      reads.push(read);
    };
    for (let place = 0; place < ahead; place++) begin(place);
    for (let place = 0; place < momentsMs.length; place++) {
      begin(place + ahead);
      yield this.#decoded(await reads[place]);
    }
  }

  /** Undefined if it can't be read, for example from a node that is away. */
  async #read(ms: number): Promise<RecordedKeyFrame | undefined> {
    const { read, signal, requireRoom } = this.#options;
    signal.throwIfAborted();
    requireRoom();
    try {
      return await untilAborted(read(ms), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Fault)) throw error;
      this.#unreadable++;
      return undefined;
    }
  }

  async #decoded(frame: RecordedKeyFrame | undefined): Promise<ComparedFrame | undefined> {
    if (!frame) return undefined;
    const { thumbnails, framesMax, signal } = this.#options;
    const { timeMs, track, keySample } = frame;
    if (!this.#known.has(timeMs)) {
      if (this.#known.size >= framesMax) throw new SearchLimit('frames');
      const thumbnail = await untilAborted(thumbnails.of(track, keySample), signal);
      this.#known.set(timeMs, thumbnail);
      if (!thumbnail) this.#unreadable++;
    }
    const thumbnail = this.#known.get(timeMs);
    return thumbnail && { timeMs, thumbnail };
  }
}

/** Waits for a result. @throws the signal's reason as soon as it is aborted, also before */
export async function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  // What comes later, or fails later, is of no interest.
  result.catch(() => {});
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
