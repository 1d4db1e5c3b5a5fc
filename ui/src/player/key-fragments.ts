import { keyFragment } from '@vidette/media/fmp4/key-fragment';
import type { ArchiveFragment } from './archive-playlist.ts';
import { keyOf, type InitSegments, type LoadBytes, type VideoInit } from './init-segments.ts';

/** The first frame of a piece, which stands for the whole of it. */
export interface KeyFrame {
  readonly init: VideoInit;
  /** A fragment with that one picture, ready to be appended after `init`. */
  readonly bytes: Uint8Array;
  /** Shown from here until the next piece's, UTC ms. */
  readonly startMs: number;
  readonly endMs: number;
}

/** What the first question for a picture asks for: a key frame of a 1080p camera, as a rule. */
const FIRST_GUESS_BYTES = 96 * 1024;
/** A little more than the last one was: key frames of one camera are alike. */
const GUESS_SHARE = 1.25;
const KEPT_BYTES = 24 * 1024 * 1024;

/**
 * Fetches the key frames of recorded pieces and nothing else of them: the beginning of a piece is asked for, about as
 * much as the last picture took, and the rest only if it was more.
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

  /** Undefined when the piece is gone or begins with no picture. @throws MalformedError, and what loading rejects with */
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
