import { statSync, type BigIntStats } from 'node:fs';

/**
 * Determines with two `stat` calls whether any process wrote a SQLite database, which is cheaper than a query
 * through its worker. File systems date writes by a clock that ticks every few milliseconds, so a write right
 * after a check may leave the times unchanged. A database therefore counts as quiet only from the second check
 * on that finds the same times: a write in the tick of the first one is read after the second.
 */
export class WriteWatch {
  readonly #files: readonly string[];
  #seen: string | undefined;
  #looks = 0;

  /** @param file the database in WAL mode; changes appear in it or in the log beside it */
  constructor(file: string) {
    this.#files = [file, `${file}-wal`];
  }

  /**
   * Whether nothing was written since the query that followed the last check but one. Checks must be further
   * apart than a tick of the file system's clock. @throws system errors other than ENOENT
   */
  isQuiet(): boolean {
    const seen = this.#files.map(stateOf).join();
    const isSame = seen === this.#seen;
    this.#seen = seen;
    this.#looks = isSame ? this.#looks + 1 : 0;
    return this.#looks >= 2;
  }

  /** What was written could not be read: the next two checks don't find it quiet. */
  noteUnread(): void {
    this.#looks = -1;
  }
}

function stateOf(file: string): string {
  const state: BigIntStats | undefined = statSync(file, { bigint: true, throwIfNoEntry: false });
  return state ? `${state.ino}:${state.size}:${state.mtimeNs}:${state.ctimeNs}` : '';
}
