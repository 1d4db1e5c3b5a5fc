import type { ArchiveSource } from './archive-source.ts';
import { fragmentIndexAt, type ArchiveFragment } from './archive-playlist.ts';
import type { PageClock } from '../base/clock.ts';

/** Pieces are asked for on a grid of this many ms, so that looking about finds them again. */
const WINDOW_MS = 600_000;
/** What ended less than this ago may still grow; such an answer is good for a short while only. */
const SETTLED_MS = 20_000;
const UNSETTLED_KEEPS_MS = 2_000;
const WINDOWS_KEPT = 60;

interface Window {
  readonly fragments: readonly ArchiveFragment[];
  readonly askedMs: number;
}

/** Finds single pieces of one stream's archive by moment, with small questions whose answers are kept. */
export class FragmentFinder {
  readonly #source: Pick<ArchiveSource, 'playlist' | 'previousPlayable'>;
  readonly #clock: PageClock;
  readonly #windows = new Map<number, Window>();

  constructor(source: Pick<ArchiveSource, 'playlist' | 'previousPlayable'>, clock: PageClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** The piece that holds a moment; undefined in a gap. */
  async at(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    const fragments = await this.#window(Math.floor(utcMs / WINDOW_MS), signal);
    const fragment = fragments[fragmentIndexAt(fragments, utcMs)];
    return fragment && fragment.startMs <= utcMs ? fragment : undefined;
  }

  /** The last piece that begins before a moment, over gaps of any length; undefined at the archive's beginning. */
  async before(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    let beforeMs = utcMs;
    // A range may be promised that has just been removed: once more, then it is the beginning.
    for (let tries = 0; tries < 3; tries++) {
      const index = Math.floor((beforeMs - 1) / WINDOW_MS);
      for (const one of [index, index - 1]) {
        const fragments = await this.#window(one, signal);
        const found = fragments.findLast((fragment) => fragment.startMs < beforeMs);
        if (found) return found;
      }
      const earlier = await this.#source.previousPlayable((index - 1) * WINDOW_MS, signal);
      if (!earlier) return undefined;
      beforeMs = Math.min(earlier.endMs, (index - 1) * WINDOW_MS);
    }
    return undefined;
  }

  async #window(index: number, signal: AbortSignal): Promise<readonly ArchiveFragment[]> {
    const nowMs = this.#clock.wallMs();
    const known = this.#windows.get(index);
    const endMs = (index + 1) * WINDOW_MS;
    if (known) {
      const isSettled = known.askedMs - endMs > SETTLED_MS;
      if (isSettled || nowMs - known.askedMs < UNSETTLED_KEEPS_MS) return known.fragments;
    }
    const fragments = await this.#source.playlist(
      index * WINDOW_MS,
      Math.min(endMs, Math.max(nowMs, index * WINDOW_MS + 1)),
      signal,
    );
    this.#windows.delete(index);
    this.#windows.set(index, { fragments, askedMs: nowMs });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > WINDOWS_KEPT && oldest !== undefined) this.#windows.delete(oldest);
    return fragments;
  }
}
