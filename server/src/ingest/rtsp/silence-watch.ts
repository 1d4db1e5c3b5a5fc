import type { Cancel, Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { utcMs } from '../timing.ts';
import type { RtspConnection } from './connection.ts';

export interface SilenceWatchOptions {
  readonly connection: RtspConnection;
  readonly clock: Clock;
  /** Opens and closes another connection to the same address; false if there is no response. Never rejects. */
  readonly canConnect: () => Promise<boolean>;
  /** Sends a keep-alive request on this connection. */
  readonly ask: () => void;
  /** Called once. */
  readonly onDead: (fault: Fault) => void;
}

const periodMs = 1000;
/**
 * A connection on which packets flow becomes suspicious after this silence, ms, and after three times its
 * longest silence so far.
 */
const suspiciousMs = 3000;
/** A session younger than this cannot be judged by its silence, ms. */
const youngMs = 10_000;
/** Response timeout of a reachable camera, ms. */
const answerMs = 1500;

/**
 * Detects a restarted camera: its end of the connection is gone, so nothing arrives and nothing is refused,
 * while a new connection is accepted. A stalled network is different: then no new connection is possible
 * either, and packets in transit still arrive.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #cancel: Cancel;
  readonly #startMs: number;
  #heardMs: number;
  #silentMs = 0;
  #longestMs = 0;
  #isChecking = false;
  /** When a new connection was accepted during this silence. */
  #reachedMs: number | undefined;
  #isClosed = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#startMs = utcMs(options.clock);
    this.#heardMs = options.connection.lastReceivedMs;
    this.#cancel = options.clock.every(periodMs, () => this.#look());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #look(): void {
    const { connection, clock, onDead } = this.#options;
    const nowMs = utcMs(clock);
    if (connection.lastReceivedMs !== this.#heardMs) {
      this.#heardMs = connection.lastReceivedMs;
      this.#longestMs = Math.max(this.#longestMs, this.#silentMs);
      this.#reachedMs = undefined;
    }
    this.#silentMs = nowMs - this.#heardMs;
    const isYoung = this.#heardMs - this.#startMs < youngMs;
    if (isYoung || this.#silentMs < Math.max(suspiciousMs, 3 * this.#longestMs)) return;
    if (this.#reachedMs === undefined) void this.#check();
    else if (nowMs - this.#reachedMs >= answerMs) {
      this.close();
      onDead(new Fault('EHOSTUNREACH', 'The camera was restarted: it answers, but not on this connection.'));
    }
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { canConnect, ask, clock } = this.#options;
    const heardMs = this.#heardMs;
    ask();
    const isThere = await canConnect();
    this.#isChecking = false;
    if (isThere && !this.#isClosed && heardMs === this.#heardMs) this.#reachedMs = utcMs(clock);
  }
}
