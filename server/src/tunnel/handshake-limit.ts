import type { Clock } from '../base/clock.ts';

/** Maximum per window; an honest relay renews its keys after a gigabyte or an hour. */
const handshakesMax = 30;
const handshakesWithinMs = 60_000;

/** How often the relay may exchange keys: each exchange costs this server far more than a message costs the relay. */
export class HandshakeLimit {
  readonly #clock: Clock;
  /** Times of the last handshakes, monotonic. */
  readonly #timesMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one handshake; returns false when there were too many in a short time. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#timesMs.push(nowMs);
    if (this.#timesMs.length <= handshakesMax) return true;
    const firstMs = this.#timesMs.shift() ?? nowMs;
    return nowMs - firstMs >= handshakesWithinMs;
  }
}
