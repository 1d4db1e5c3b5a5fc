import type { RemuxedSegment } from '@vidette/media/mp4/remux';

/** An hour of video with audio has 260 000, of some 40 bytes each. */
const samplesMax = 1_000_000;

/**
 * The layouts of the recordings that were read last: a player reads a file in many small requests, and to lay out a file of an
 * hour takes a second.
 */
export class LayoutCache {
  /** The least recently used first. */
  readonly #layouts = new Map<string, { readonly segment: RemuxedSegment; readonly samples: number }>();
  #samples = 0;

  get(key: string): RemuxedSegment | undefined {
    const found = this.#layouts.get(key);
    if (!found) return undefined;
    this.#layouts.delete(key);
    this.#layouts.set(key, found);
    return found.segment;
  }

  add(key: string, segment: RemuxedSegment): void {
    const runs = segment.fragments.flatMap((fragment) => fragment.runs);
    const samples = runs.reduce((sum, run) => sum + run.samples.length, 0);
    this.#remove(key);
    this.#layouts.set(key, { segment, samples });
    this.#samples += samples;
    for (const oldest of this.#layouts.keys()) {
      if (this.#samples <= samplesMax || oldest === key) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#samples -= this.#layouts.get(key)?.samples ?? 0;
    this.#layouts.delete(key);
  }
}
