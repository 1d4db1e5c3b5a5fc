import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../base/clock.ts';

/**
 * The rate at which a relay may send. Requests are small: a hundred viewers send a quarter of this. More is not
 * read, so that the relay's TCP has to wait, and a flood of messages uses only part of one core.
 */
const bytesPerSecond = 1_048_576;
/** The burst that it may send after a quiet period. */
const burstBytes = 4 * 1_048_576;

/** Reads from a relay's socket no faster than allowed: a token bucket, refilled as time passes. */
export class InflowLimit {
  readonly #socket: Socket;
  readonly #clock: Clock;
  #tokens = burstBytes;
  #refilledMs: number;
  #cancelResume: Cancel | undefined;

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#refilledMs = clock.monotonicMs();
  }

  /** Counts received bytes; beyond the limit the socket pauses, and resumes automatically. */
  take(bytes: number): void {
    const nowMs = this.#clock.monotonicMs();
    const refill = ((nowMs - this.#refilledMs) / 1000) * bytesPerSecond;
    this.#refilledMs = nowMs;
    this.#tokens = Math.min(burstBytes, this.#tokens + refill) - bytes;
    if (this.#tokens >= 0 || this.#cancelResume) return;
    this.#socket.pause();
    this.#cancelResume = this.#clock.after((-this.#tokens / bytesPerSecond) * 1000, () => {
      this.#cancelResume = undefined;
      this.#socket.resume();
    });
  }

  close(): void {
    this.#cancelResume?.();
  }
}
