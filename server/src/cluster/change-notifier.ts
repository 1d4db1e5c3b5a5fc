import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { emptyChange, isEmpty, joined, type ClusterChange } from './cluster-change.ts';

/**
 * Collects changes of the cluster and reports them, one report at a time; rejected changes are reported again.
 */
export class ChangeNotifier {
  readonly #log: Log;
  /** Changes not reported yet. */
  #pending = emptyChange();
  #isReporting = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds to the next report. */
  add(change: Partial<ClusterChange>): void {
    this.#pending = joined(this.#pending, { ...emptyChange(), ...change });
  }

  /** Drops the pending changes: they are already known. */
  clear(): void {
    this.#pending = emptyChange();
  }

  /**
   * Reports pending changes, if any, unless a report is in progress. Returns immediately; never rejects.
   * `report` resolves when the change has taken effect.
   */
  flush(report: (change: ClusterChange) => Promise<void>): void {
    const change = this.#pending;
    if (this.#isReporting || isEmpty(change)) return;
    this.clear();
    this.#isReporting = true;
    report(change)
      .catch((error: unknown) => {
        this.#pending = joined(change, this.#pending);
        if (error instanceof Fault && error.code === 'Unavailable') return;
        const text = 'A change made by another node could not be applied yet; retrying';
        this.#log.error({ err: error }, text);
      })
      .finally(() => {
        this.#isReporting = false;
      });
  }
}
