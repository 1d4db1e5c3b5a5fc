import type { Clock } from './clock.ts';
import { Lease, type LeaseReport } from './lease.ts';

/** What another process of the same machine needs, to permit the same. */
export interface PermitsReport extends LeaseReport {
  /** Streams, and the epoch up to which their assignment was lost. */
  readonly lost: readonly (readonly [uid: string, epoch: number])[];
}

/**
 * Which samples this node may write: it holds its lease, or continues without the database, and has not lost the
 * assignment under which they were received. In the process that renews the lease, and, as that process reports it, in the
 * others: there the lease expires by itself when no report arrives.
 */
export class WritePermits {
  readonly lease: Lease;
  #lost = new Map<string, number>();
  #isEnded = false;

  /** `lastsMs`: as for `Lease`; unused by a process that only receives reports. */
  constructor(clock: Clock, lastsMs = 0) {
    this.lease = new Lease(clock, lastsMs);
  }

  /**
   * Up to this epoch the assignment of the stream was lost while the node was suspended or cut off: nothing more is
   * written under it.
   */
  lose(uid: string, epoch: number): void {
    this.#lost.set(uid, epoch);
  }

  /** Whether data that was received under an epoch may be written now. Waits while that is unknown. */
  permits(uid: string, epoch: number): boolean | Promise<boolean> {
    const settled = this.lease.settled;
    if (settled && this.#isEnded) return false;
    if (settled) return settled.then(() => this.permits(uid, epoch));
    return this.lease.state !== 'fenced' && epoch > (this.#lost.get(uid) ?? -1);
  }

  /** The process ends: it no longer waits for a verdict, and writes nothing without one. */
  end(): void {
    this.#isEnded = true;
    this.lease.note(this.lease.report);
  }

  /** For the other processes. */
  get report(): PermitsReport {
    return { ...this.lease.report, lost: [...this.#lost] };
  }

  /** As the process that renews the lease reports it. */
  note(report: PermitsReport): void {
    this.#lost = new Map(report.lost);
    this.lease.note(report);
  }
}
