import type { Cancel, Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { utcMs } from '../timing.ts';
import type { RtspConnection } from './connection.ts';

export interface KeepAliveOptions {
  readonly connection: RtspConnection;
  readonly clock: Clock;
  readonly uri: string;
  /** The server drops the session after this long without a request. */
  readonly timeoutSeconds: number;
  /**
   * Whether the server lists GET_PARAMETER among its methods; otherwise OPTIONS is used (RFC 2326, 10.1 and
   * 10.8).
   */
  readonly canGetParameter: boolean;
  /** No more replies or packets arrive. Called once. */
  readonly onDead: (fault: Fault) => void;
}

const minPeriodMs = 2000;
const maxPeriodMs = 30_000;
/** Maximum number of requests pending simultaneously. */
const maxUnanswered = 3;

/** Keeps the session alive, and detects when the server is gone. */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  readonly #cancel: Cancel;
  #method: 'GET_PARAMETER' | 'OPTIONS';
  /** Consecutive requests without a reply. */
  #unanswered = 0;
  #isClosed = false;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
    this.#method = options.canGetParameter ? 'GET_PARAMETER' : 'OPTIONS';
    // Twice within the timeout, so that a late one does no harm.
    const periodMs = Math.min(maxPeriodMs, Math.max(minPeriodMs, (options.timeoutSeconds * 1000) / 2.5));
    this.#cancel = options.clock.every(periodMs, () => void this.#ask());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** Sends a request now, unless too many are pending. */
  ask(): void {
    void this.#ask();
  }

  /**
   * Never rejects. A pending request doesn't block the next one, whose method may be the one that keeps the
   * session alive: with a timeout of 5 s the session ends before the reply counts as missing.
   */
  async #ask(): Promise<void> {
    if (this.#isClosed || this.#unanswered >= maxUnanswered) return;
    // The server announced the method but doesn't reply to it.
    if (this.#unanswered > 0) this.#method = 'OPTIONS';
    this.#unanswered++;
    const { connection, clock, uri, onDead } = this.#options;
    const askedMs = utcMs(clock);
    try {
      const response = await connection.request(this.#method, uri);
      // The server announced the method but rejects it.
      if (response.status >= 400 && response.status !== 401) this.#method = 'OPTIONS';
    } catch (error) {
      this.#method = 'OPTIONS';
      // Some cameras never reply while they play: this is accepted as long as packets arrive.
      const isDead = connection.lastReceivedMs < askedMs;
      if (isDead && !this.#isClosed) onDead(error instanceof Fault ? error : silent(error));
    } finally {
      this.#unanswered--;
    }
  }
}

function silent(cause: unknown): Fault {
  return new Fault('EHOSTUNREACH', 'The camera no longer answers.', { cause });
}
