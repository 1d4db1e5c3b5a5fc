import { keyFragment } from '@vidette/media/fmp4/key-fragment';
import type { ArchiveFragment } from './archive-playlist.ts';
import { keyOf, type InitSegments, type LoadBytes, type VideoInit } from './init-segments.ts';

/** The first frame of a fragment, which represents the whole of it. */
export interface KeyFrame {
  readonly init: VideoInit;
  /** A fragment with only that frame, ready to be appended after `init`. */
  readonly bytes: Uint8Array;
  /** Shown from here until the next fragment's frame, UTC ms. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Size of the first request for a key frame: enough for a typical 1080p camera. */
const FIRST_GUESS_BYTES = 96 * 1024;
/** Each request is a little larger than the last key frame: key frames of one camera are similar in size. */
const GUESS_SHARE = 1.25;
const KEPT_BYTES = 24 * 1024 * 1024;

/**
 * Fetches only the key frames of recorded fragments: requests the beginning of a fragment, about the size of
 * the last key frame, and the rest only if the frame is larger.
 */
export class KeyFragments {
  readonly #load: LoadBytes;
  readonly #inits: InitSegments;
  readonly #kept = new Map<string, KeyFrame>();
  #keptBytes = 0;
  #guessBytes = FIRST_GUESS_BYTES;

  constructor(load: LoadBytes, inits: InitSegments) {
    this.#load = load;
    this.#inits = inits;
  }

  /**
   * Undefined when the fragment no longer exists or does not begin with a frame. @throws MalformedError, and
   * what loading rejects with
   */
  async of(fragment: ArchiveFragment, signal: AbortSignal): Promise<KeyFrame | undefined> {
    const key = keyOf(fragment);
    const known = this.#kept.get(key);
    if (known) return known;
    const length = fragment.length ?? Infinity;
    const [init, first] = await Promise.all([
      this.#inits.ofFrames(fragment.init, signal),
      this.#load(partOf(fragment, Math.min(length, this.#guessBytes)), signal),
    ]);
    if (!init || !first) return undefined;
    let read = keyFragment(first, init.trackId);
    for (let more = 0; read.type === 'needs' && more < 2; more++) {
      const bytes = await this.#load(
        partOf(fragment, Math.min(length, Math.max(read.bytes, this.#guessBytes))),
        signal,
      );
      if (!bytes) return undefined;
      read = keyFragment(bytes, init.trackId);
    }
    if (read.type !== 'whole') return undefined;
    this.#guessBytes = Math.ceil(read.usedBytes * GUESS_SHARE);
    const toMs = (ticks: number) => (ticks / init.timescale) * 1000;
    const frame = { init, bytes: read.bytes, startMs: toMs(read.startPts), endMs: toMs(read.endPts) };
    this.#keep(key, frame);
    return frame;
  }

  #keep(key: string, frame: KeyFrame): void {
    this.#kept.set(key, frame);
    this.#keptBytes += frame.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === key) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes.length;
    }
  }
}

function partOf(fragment: ArchiveFragment, length: number): ArchiveFragment {
  return { ...fragment, length: Number.isFinite(length) ? length : undefined };
}
