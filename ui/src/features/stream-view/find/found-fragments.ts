import type { PageClock } from '../../../base/clock.ts';
import { fragmentIndexAt, type ArchiveFragment } from '../../../playback/archive-playlist.ts';
import type { ArchiveSource } from '../../../playback/archive-source.ts';
import { FragmentFinder } from '../../../playback/fragment-finder.ts';

/** Moments of a search are far apart: a request for more than the GOP around one would be wasted. */
const WINDOW_MS = 30_000;

/** Finds the fragments of a search. What was found or listed once is not requested again. */
export class FoundFragments implements Pick<FragmentFinder, 'at' | 'before'> {
  readonly #source: Pick<ArchiveSource, 'playlist'>;
  readonly #finder: FragmentFinder;
  /** In order of time. */
  #known: readonly ArchiveFragment[] = [];

  constructor(source: Pick<ArchiveSource, 'playlist' | 'previousPlayable'>, clock: PageClock) {
    this.#source = source;
    this.#finder = new FragmentFinder(source, clock, WINDOW_MS);
  }

  /** The fragment that contains a moment; undefined in a gap. */
  async at(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    const known = this.#known[fragmentIndexAt(this.#known, utcMs)];
    return known && known.startMs <= utcMs ? known : this.#finder.at(utcMs, signal);
  }

  /** The last fragment that begins before a moment; undefined at the archive's beginning. */
  async before(utcMs: number, signal: AbortSignal): Promise<ArchiveFragment | undefined> {
    const found = await this.#finder.before(utcMs, signal);
    if (found) this.#keep([found]);
    return found;
  }

  /** All that intersect a span, in order. */
  async between(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly ArchiveFragment[]> {
    const fragments = await this.#source.playlist(startMs, endMs, signal);
    this.#keep(fragments);
    return fragments;
  }

  #keep(fragments: readonly ArchiveFragment[]): void {
    const byStart = new Map([...this.#known, ...fragments].map((fragment) => [fragment.startMs, fragment]));
    this.#known = [...byStart.values()].sort((one, other) => one.startMs - other.startMs);
  }
}
