import type { ArchiveSource } from './archive-source.ts';
import { fragmentIndexAt, type ArchiveFragment } from './archive-playlist.ts';
import type { PageClock } from '../base/clock.ts';

/** Fragments are requested on a grid of this many ms, so that repeated lookups hit the cache; unless said otherwise. */
const WINDOW_MS = 600_000;
/** A window that ended less than this ago may still grow; its answer is valid for a short time only. */
const SETTLED_MS = 20_000;
const UNSETTLED_KEEPS_MS = 2_000;
const WINDOWS_KEPT = 60;

interface Window {
  readonly fragments: readonly ArchiveFragment[];
  readonly askedMs: number;
}

/** Finds single fragments of one stream's archive by moment, with small cached requests. */
export class FragmentFinder {
  readonly #source: Pick<ArchiveSource, 'playlist' | 'previousPlayable'>;
  readonly #clock: PageClock;
  readonly #windowMs: number;
  readonly #windows = new Map<number, Window>();

  /** @param windowMs the span of one request; a short one where neighbours are not looked up */
  constructor(
    source: Pick<ArchiveSource, 'playlist' | 'previousPlayable'>,
    clock: PageClock,
    windowMs = WINDOW_MS,
  ) {
    this.#source = source;
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** The fragment that contains a moment; undefined in a gap. */
  async at(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    const fragments = await this.#window(Math.floor(utcMs / this.#windowMs), signal);
    const fragment = fragments[fragmentIndexAt(fragments, utcMs)];
    return fragment && fragment.startMs <= utcMs ? fragment : undefined;
  }

  /**
   * The last fragment that begins before a moment, over gaps of any length; undefined at the archive's
   * beginning.
   */
  async before(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    let beforeMs = utcMs;
    // A listed range may just have been deleted: retry, then treat it as the beginning.
    for (let tries = 0; tries < 3; tries++) {
      const index = Math.floor((beforeMs - 1) / this.#windowMs);
      for (const one of [index, index - 1]) {
        const fragments = await this.#window(one, signal);
        const found = fragments.findLast((fragment) => fragment.startMs < beforeMs);
        if (found) return found;
      }
      const earlier = await this.#source.previousPlayable((index - 1) * this.#windowMs, signal);
      if (!earlier) return undefined;
      beforeMs = Math.min(earlier.endMs, (index - 1) * this.#windowMs);
    }
    return undefined;
  }

  async #window(index: number, signal: AbortSignal): Promise<readonly ArchiveFragment[]> {
    const nowMs = this.#clock.wallMs();
    const known = this.#windows.get(index);
    const endMs = (index + 1) * this.#windowMs;
    if (known) {
      const isSettled = known.askedMs - endMs > SETTLED_MS;
      if (isSettled || nowMs - known.askedMs < UNSETTLED_KEEPS_MS) return known.fragments;
    }
    const fragments = await this.#source.playlist(
      index * this.#windowMs,
      Math.min(endMs, Math.max(nowMs, index * this.#windowMs + 1)),
      signal,
    );
    this.#windows.delete(index);
    this.#windows.set(index, { fragments, askedMs: nowMs });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > WINDOWS_KEPT && oldest !== undefined) this.#windows.delete(oldest);
    return fragments;
  }
}
