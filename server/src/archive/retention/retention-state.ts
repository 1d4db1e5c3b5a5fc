import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { replaceFile } from '../../base/durable.ts';
import type { Log } from '../../base/log.ts';
import { systemCode, archiveFileMode } from '../segments/segments.ts';
import type { Era } from './footage-clock.ts';
import type { KnownDepth } from './lowered-depths.ts';

/** What retention needs to know about the previous run. */
export interface RetentionFacts {
  readonly eras: readonly Era[];
  readonly depths: Readonly<Record<string, KnownDepth>>;
}

const Hours = z.number().int();
const Facts = z.object({
  eras: z.array(z.object({ fromMs: z.number(), nowMs: z.number(), order: z.number().optional() })).min(1),
  depths: z.record(
    z.string(),
    z
      .object({ hours: Hours, lowered: z.object({ hours: Hours, waitMs: z.number() }).optional() })
      .transform(({ hours, lowered }) => (lowered ? { hours, lowered } : { hours })),
  ),
});

/**
 * The small file next to the catalog in which retention stores its state between runs. It is replaced, never
 * modified: a crash or a full disk leaves the previous state, which deletes less, never more.
 */
export class RetentionState {
  readonly #path: string;
  readonly #log: Log;
  #isFailing = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /**
   * Undefined before the first run, and if the file cannot be used: then the state is derived from the archive.
   */
  async read(): Promise<RetentionFacts | undefined> {
    try {
      return Facts.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      this.#log.error({ err: error, file: this.#path }, 'The stored state of retention cannot be read');
      return undefined;
    }
  }

  /** A failed write is retried with the next one; the failure is logged once. */
  write(facts: RetentionFacts): Promise<void> {
    this.#writing = this.#writing.then(() => this.#replace(facts));
    return this.#writing;
  }

  async #replace(facts: RetentionFacts): Promise<void> {
    try {
      await replaceFile(this.#path, `${JSON.stringify(facts)}\n`, archiveFileMode);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#log.warn({ err: error }, 'The state of retention could not be saved; it will be retried');
      this.#isFailing = true;
    }
  }
}
