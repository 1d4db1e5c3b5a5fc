import { delay, type Clock } from '../../../base/clock.ts';

/** A sample this late means that the input stalled: its time becomes the new measure, ms. */
const lateMs = 500;
/** Media time that leaps further than this is a new beginning, ms. */
const leapMs = 10_000;
/** How a live source comes is judged over so long, ms: */
const leastSpanMs = 200;
const spanMs = 1000;
/** it is waited for most of the time, */
const waitedShare = 0.5;
/** and no camera sends more packets in a second. */
const mostPackets = 300;

/**
 * Gives out what arrives in bursts (segments of HLS, files) at the pace it was recorded at, so that what looks at
 * arrival times downstream sees a steady source. It never waits to catch up on a stall: what is late goes at once.
 *
 * A live source may run ahead by what its server keeps for those who join. One that goes on so is held back when it is a file
 * that is played as fast as it is read; one whose packets have to be waited for is a camera with a clock that runs fast,
 * which `timing.ts` mends: holding it back would only fill the connection.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #aheadMs: number;
  /** Monotonic time less media time, ms. */
  #offsetMs: number | undefined;
  #spanStartMs: number | undefined;
  #packets = 0;
  #waitedMs = 0;
  #looksLive = false;

  /** @param aheadMs how far the source may run ahead of the time that passes; 0 for what is not live */
  constructor(clock: Clock, aheadMs = 0) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  /**
   * Resolves when a sample of that media time is due; rejects with the signal's reason when aborted first.
   *
   * @param readMs how long the read took that brought it
   */
  async wait(mediaMs: number, readMs: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#judge(nowMs, readMs);
    this.#offsetMs ??= nowMs - mediaMs;
    const aheadMs = mediaMs + this.#offsetMs - nowMs;
    const tooFarMs = aheadMs - this.#aheadMs;
    if (aheadMs < -lateMs || tooFarMs > leapMs) this.#offsetMs = nowMs - mediaMs;
    else if (tooFarMs <= 1) return;
    else if (this.#aheadMs > 0 && this.#looksLive) this.#offsetMs -= tooFarMs;
    else await delay(this.#clock, tooFarMs, signal);
  }

  #judge(nowMs: number, readMs: number): void {
    this.#spanStartMs ??= nowMs - readMs;
    this.#packets++;
    this.#waitedMs += readMs;
    const elapsedMs = nowMs - this.#spanStartMs;
    if (elapsedMs >= leastSpanMs) {
      const perSecond = (this.#packets * 1000) / elapsedMs;
      this.#looksLive = this.#waitedMs >= waitedShare * elapsedMs && perSecond <= mostPackets;
    }
    if (elapsedMs < spanMs) return;
    this.#spanStartMs = nowMs;
    this.#packets = 0;
    this.#waitedMs = 0;
  }
}
