import { polls, timelineDefaults } from '@vidette/contract/constants';

/** The initial span, the limits and the zoom factor are those of requirement R9.4. */
const { backMs, aheadMs, zoomFactor, zoomInAboveMs, zoomOutBelowMs } = timelineDefaults;

/**
 * The only mapping between time and pixels: a span of UTC milliseconds over a width. Immutable; every change
 * returns a new scale.
 */
export class TimeScale {
  readonly startMs: number;
  /** Milliseconds shown, greater than 0. */
  readonly spanMs: number;
  /** CSS pixels, at least 1. */
  readonly widthPx: number;

  constructor(startMs: number, spanMs: number, widthPx: number) {
    this.startMs = startMs;
    this.spanMs = spanMs;
    this.widthPx = Math.max(1, widthPx);
  }

  /** The initial span: 20 hours back to 3 hours ahead. */
  static opening(nowMs: number, widthPx: number): TimeScale {
    return new TimeScale(nowMs - backMs, backMs + aheadMs, widthPx);
  }

  get endMs(): number {
    return this.startMs + this.spanMs;
  }

  get msPerPx(): number {
    return this.spanMs / this.widthPx;
  }

  /** How often the data in this scale is worth refetching: max(3.5 s, 6 x seconds per pixel) (R9.1). */
  get refreshMs(): number {
    return Math.max(polls.archiveMinimumMs, polls.archiveSecondsPerPixelFactor * this.msPerPx);
  }

  toPx(ms: number): number {
    return ((ms - this.startMs) / this.spanMs) * this.widthPx;
  }

  toMs(px: number): number {
    return this.startMs + (px / this.widthPx) * this.spanMs;
  }

  contains(ms: number): boolean {
    return ms >= this.startMs && ms <= this.endMs;
  }

  withWidth(widthPx: number): TimeScale {
    return new TimeScale(this.startMs, this.spanMs, widthPx);
  }

  pannedByMs(byMs: number): TimeScale {
    return new TimeScale(this.startMs + byMs, this.spanMs, this.widthPx);
  }

  /** The same span with `ms` at the fraction `at` (0 is the left edge, 1 the right). */
  showing(ms: number, at: number): TimeScale {
    return new TimeScale(ms - at * this.spanMs, this.spanMs, this.widthPx);
  }

  get canZoomIn(): boolean {
    return this.spanMs > zoomInAboveMs;
  }

  get canZoomOut(): boolean {
    return this.spanMs < zoomOutBelowMs;
  }

  /** One step in; the moment `aboutMs` keeps its pixel. The same scale when that is not allowed. */
  zoomedIn(aboutMs: number): TimeScale {
    return this.canZoomIn ? this.#spanning(this.spanMs / zoomFactor, aboutMs) : this;
  }

  /** One step out; the moment `aboutMs` keeps its pixel. The same scale when that is not allowed. */
  zoomedOut(aboutMs: number): TimeScale {
    return this.canZoomOut ? this.#spanning(this.spanMs * zoomFactor, aboutMs) : this;
  }

  /** A continuous zoom, as by pinching: the span divided by `ratio`, clamped to what single steps can reach. */
  pinched(ratio: number, aboutMs: number): TimeScale {
    if (!Number.isFinite(ratio) || ratio <= 0 || ratio === 1) return this;
    if (ratio > 1 ? !this.canZoomIn : !this.canZoomOut) return this;
    const spanMs = this.spanMs / ratio;
    const leastMs = zoomInAboveMs / zoomFactor;
    const mostMs = zoomOutBelowMs * zoomFactor;
    return this.#spanning(Math.min(mostMs, Math.max(leastMs, spanMs)), aboutMs);
  }

  #spanning(spanMs: number, aboutMs: number): TimeScale {
    const share = (aboutMs - this.startMs) / this.spanMs;
    return new TimeScale(aboutMs - share * spanMs, spanMs, this.widthPx);
  }
}
