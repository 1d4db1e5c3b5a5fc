import { backoffMs, type Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { SegmentRow } from '../catalog/catalog.ts';
import { systemCode } from '../segments/segments.ts';

/** Footage that should be deleted but cannot be. */
export interface UndeletableSum {
  readonly files: number;
  readonly bytes: number;
  /** The system error name of the latest failure, as in EPERM. */
  readonly code: string;
  readonly path: string;
}

interface Kept {
  readonly bytes: number;
  readonly code: string;
  readonly path: string;
  /** Number of failed attempts. */
  readonly failures: number;
  readonly retryAtMs: number;
}

const pauses: Backoff = { firstMs: 20_000, longestMs: 600_000 };

/**
 * Remembers the files that could not be deleted: each is retried after increasing pauses, without blocking the
 * others.
 */
export class Undeletable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The files that are not retried for now; no other footage is deleted in their place. */
  get restingBytes(): number {
    const nowMs = this.#clock.monotonicMs();
    let sum = 0;
    for (const { bytes, retryAtMs } of this.#kept.values()) if (nowMs < retryAtMs) sum += bytes;
    return sum;
  }

  get sum(): UndeletableSum | undefined {
    const latest = [...this.#kept.values()].at(-1);
    return latest && { files: this.size, bytes: this.#bytes, code: latest.code, path: latest.path };
  }

  /** Whether it is not retried for now. */
  isResting(uid: string, { startTicks }: Pick<SegmentRow, 'startTicks'>): boolean {
    const kept = this.#kept.get(keyOf(uid, startTicks));
    return kept !== undefined && this.#clock.monotonicMs() < kept.retryAtMs;
  }

  /** An attempt to delete it failed. */
  note(uid: string, startTicks: number, bytes: number, path: string, error: unknown): void {
    const key = keyOf(uid, startTicks);
    const before = this.#kept.get(key);
    const code = systemCode(error) ?? 'unknown';
    const failures = (before?.failures ?? 0) + 1;
    const retryAtMs = this.#clock.monotonicMs() + backoffMs(failures, pauses);
    this.forget(uid, startTicks);
    this.#kept.set(key, { bytes, code, path, failures, retryAtMs });
    this.#bytes += bytes;
    if (before?.code === code) return;
    this.#log.error(
      { err: error, stream: uid, file: path },
      'A file of old footage cannot be deleted; it stays in the archive and will be retried',
    );
  }

  /** It is deleted, or no longer has to be. */
  forget(uid: string, startTicks: number): void {
    const kept = this.#kept.get(keyOf(uid, startTicks));
    if (!kept) return;
    this.#kept.delete(keyOf(uid, startTicks));
    this.#bytes -= kept.bytes;
  }
}

function keyOf(uid: string, startTicks: number): string {
  return `${uid} ${startTicks}`;
}
