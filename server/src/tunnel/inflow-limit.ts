import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../base/clock.ts';

/**
 * What a relay may send over time. Requests are small: a hundred viewers send a quarter of this. More is not read, so that
 * the relay's own TCP has to wait, and no flood of messages costs more than a part of one core.
 */
const bytesPerSecond = 1_048_576;
/** What it may send at once after a quiet time. */
const burstBytes = 4 * 1_048_576;

/** Reads from a relay's socket no faster than allowed: a bucket of tokens, refilled as time passes. */
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

  /** Notes what came; the socket pauses when that was too much, and goes on by itself. */
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
