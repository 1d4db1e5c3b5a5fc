import type { KnownIntervals, RangesLoader } from './ranges-loader.ts';

/** Searches for moments of an archive: they follow each other and add up, until what is looked for isn't wanted any more. */
export class MomentSearch {
  readonly #loader: Pick<RangesLoader, 'search'>;
  #abort = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(loader: Pick<RangesLoader, 'search'>) {
    this.#loader = loader;
  }

  /**
   * Looks for the nearest moment of some kind, on or back from where the searches before this one have led.
   * @param fromMs asked when it is this search's turn
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

  /** What is still looked for is not wanted any more. */
  end(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
