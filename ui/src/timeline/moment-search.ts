import type { KnownIntervals, RangesLoader } from './ranges-loader.ts';

/**
 * Queued searches for moments of an archive: each continues from the result of the previous one, until they are
 * cancelled.
 */
export class MomentSearch {
  readonly #loader: Pick<RangesLoader, 'search'>;
  #abort = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(loader: Pick<RangesLoader, 'search'>) {
    this.#loader = loader;
  }

  /**
   * Searches for the nearest moment of some kind, forwards or backwards from the result of the previous
   * searches.
   * @param fromMs read when it is this search's turn
   */
  begin(
    direction: 1 | -1,
    fromMs: () => number,
    momentIn: (fromMs: number, known: KnownIntervals) => number | undefined,
    onFound: (ms: number) => void,
  ): void {
    const { signal } = this.#abort;
    this.#last = this.#last.then(async () => {
      if (signal.aborted) return;
      const startMs = fromMs();
      const ms = await this.#loader.search(startMs, direction, (known) => momentIn(startMs, known), signal);
      if (ms !== undefined && !signal.aborted) onFound(ms);
    });
  }

  /** Cancels the pending searches. */
  end(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
