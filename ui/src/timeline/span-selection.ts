import type { TimeScale } from './time-scale.ts';

/** A span, UTC ms. */
export interface SelectedSpan {
  readonly startMs: number;
  readonly endMs: number;
}

const SECOND_MS = 1000;

/**
 * A span selected on the timeline: its ends can be dragged, past each other too. Dragged ends snap to whole
 * seconds, as typed ones do, and can't be in the future.
 */
export class SpanSelection {
  #span: SelectedSpan | undefined;
  /** The end that stays while the other one is dragged. */
  #anchorMs: number | undefined;

  get span(): SelectedSpan | undefined {
    return this.#span;
  }

  get isHeld(): boolean {
    return this.#anchorMs !== undefined;
  }

  set(span: SelectedSpan | undefined): void {
    this.#span = span;
    this.#anchorMs = undefined;
  }

  /** Whether an end is this near. */
  isAtEnd(px: number, scale: TimeScale, reachPx: number): boolean {
    if (!this.#span) return false;
    const { startMs, endMs } = this.#span;
    return Math.min(Math.abs(scale.toPx(startMs) - px), Math.abs(scale.toPx(endMs) - px)) <= reachPx;
  }

  /** Grabs the nearer end; false when none is in reach. */
  press(px: number, scale: TimeScale, reachPx: number): boolean {
    if (!this.#span || !this.isAtEnd(px, scale, reachPx)) return false;
    const { startMs, endMs } = this.#span;
    const isStart = Math.abs(scale.toPx(startMs) - px) < Math.abs(scale.toPx(endMs) - px);
    this.#anchorMs = isStart ? endMs : startMs;
    return true;
  }

  move(px: number, scale: TimeScale, nowMs: number): void {
    if (this.#anchorMs === undefined) return;
    const ms = Math.floor(Math.min(scale.toMs(px), nowMs) / SECOND_MS) * SECOND_MS;
    this.#span = { startMs: Math.min(ms, this.#anchorMs), endMs: Math.max(ms, this.#anchorMs) };
  }

  release(): void {
    this.#anchorMs = undefined;
  }
}
