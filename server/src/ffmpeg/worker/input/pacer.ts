import { delay, type Clock } from '../../../base/clock.ts';

/** If a sample is this late, the input stalled: its time becomes the new reference, ms. */
const lateMs = 500;
/** A jump of the media time larger than this is a restart, ms. */
const leapMs = 10_000;
/** The arrival of a live source is judged over this period, ms... */
const leastSpanMs = 200;
const spanMs = 1000;
/** ...most of the time is spent waiting for it... */
const waitedShare = 0.5;
/** ...and no camera sends more packets per second. */
const mostPackets = 300;

/**
 * Emits bursts (HLS segments, files) at the pace at which they were recorded, so that downstream code that uses
 * arrival times sees a steady source. Late samples after a stall are emitted immediately.
 *
 * A live source may run ahead by what its server buffers for new clients. One that keeps running ahead is
 * throttled if it is a file that is sent as fast as it is read. If its packets have to be waited for, it is a
 * camera with a fast clock, which `timing.ts` corrects: throttling it would only fill the connection.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #aheadMs: number;
  /** Monotonic time minus media time, ms. */
  #offsetMs: number | undefined;
  #spanStartMs: number | undefined;
  #packets = 0;
  #waitedMs = 0;
  #looksLive = false;

  /** @param aheadMs how far the source may run ahead of real time; 0 if it is not live */
  constructor(clock: Clock, aheadMs = 0) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  /**
   * Resolves when a sample with that media time is due; rejects with the signal's reason if aborted first.
   * @param readMs how long the read that returned it took
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
