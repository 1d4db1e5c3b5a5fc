import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../base/clock.ts';

/**
 * What a relay may send over time. Requests are small: a hundred viewers send a quarter of this. More is not
 * read, so that the relay's own TCP has to wait, and a flood of messages costs only part of one core.
 */
const bytesPerSecond = 1_048_576;
/** Burst that it may send after a quiet time. */
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

  /** Counts received bytes; beyond the limit the socket pauses, and resumes by itself. */
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
