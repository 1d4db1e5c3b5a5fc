import { closeSync, openSync, statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { systemCode } from '../segments/segments.ts';

/**
 * An empty file whose modification time is when the archive was last in use. After a kill it shows the time of
 * the kill, which the footage of a stream whose camera was offline cannot show. The file system preserves it if
 * the process dies; a power failure may lose the last seconds.
 */
export class Heartbeat {
  /** Last heartbeat of the previous run, ms since the epoch; undefined at the first start. */
  readonly lastMs: number | undefined;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cancel: Cancel;
  #beating: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** @throws system errors */
  constructor(options: { path: string; periodMs: number; clock: Clock; log: Log }) {
    this.#path = options.path;
    this.#clock = options.clock;
    this.#log = options.log;
    this.lastMs = lastTimeOf(options.path);
    if (this.lastMs === undefined) closeSync(openSync(options.path, 'a'));
    this.#cancel = options.clock.every(options.periodMs, () => this.beat());
  }

  /** Updates the heartbeat now. */
  beat(): void {
    const seconds = this.#clock.wallMs() / 1000;
    this.#beating = this.#beating
      .then(() => utimes(this.#path, seconds, seconds))
      .then(() => {
        this.#isFailing = false;
      })
      .catch((error: unknown) => {
        if (!this.#isFailing) this.#log.warn({ err: error }, 'The heartbeat could not be written');
        this.#isFailing = true;
      });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#beating;
  }
}

function lastTimeOf(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
