import type { Log } from '../base/log.ts';
import type { CatalogReads } from './catalog-reads.ts';
import type { FarKeys } from './far-keys.ts';
import type { FarStore } from './far-store.ts';
import { FarTier, type FarProblem } from './far-tier.ts';
import { Offload, type FarBacklog, type OffloadTools } from './offload.ts';

/** The bucket for footage that is old enough (design/s3-tier.md). */
export interface FarOptions {
  readonly store: FarStore;
  readonly keys: FarKeys;
  /** Segments that are sent at a time. */
  readonly atOnce: number;
}

/** How the bucket is doing. */
export interface FarStatus {
  /** Which, for people. */
  readonly name: string;
  readonly problem: FarProblem | undefined;
  readonly bytes: number;
  readonly segments: number;
  /** Old enough, and still on the disk. */
  readonly waiting: FarBacklog;
  /** When a segment last arrived there, ms since the epoch. */
  readonly lastMovedMs: number | undefined;
}

/** Far footage is of no use to an archive without its bucket. */
export function warnWithoutBucket(reads: CatalogReads, log: Log): void {
  if (reads.farTotals().segments === 0) return;
  const words = 'Footage lies in a bucket that is not configured: it cannot be played until it is';
  log.error({ code: 'FarArchiveUnavailable' }, words);
}

/** What of an archive lies in its bucket, and what moves it there. */
export class FarArchive {
  readonly tier: FarTier;
  readonly offload: Offload;
  readonly #tools: Omit<OffloadTools, 'tier' | 'atOnce'>;

  constructor(options: FarOptions, tools: Omit<OffloadTools, 'tier' | 'atOnce'>) {
    this.#tools = tools;
    this.tier = new FarTier({ ...options, clock: tools.clock, log: tools.log });
    this.offload = new Offload({ ...tools, tier: this.tier, atOnce: options.atOnce });
  }

  get status(): FarStatus {
    const { name, problem } = this.tier;
    const { backlog: waiting, lastMovedMs } = this.offload;
    return { name, problem, ...this.#tools.reads.farTotals(), waiting, lastMovedMs };
  }
}
