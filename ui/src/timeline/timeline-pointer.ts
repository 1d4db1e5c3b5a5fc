import type { PageClock } from '../base/clock.ts';
import { PanGesture } from './pan-gesture.ts';
import type { SpanSelection } from './span-selection.ts';
import type { TimelineWindow } from './timeline-window.ts';

export interface TimelinePointerOptions {
  readonly clock: PageClock;
  readonly window: TimelineWindow;
  readonly selection: SpanSelection;
  readonly playheadMs: () => number | undefined;
  /** The playhead is dragged to a moment. */
  readonly onScrub: (utcMs: number) => void;
  /** The playhead was dropped on a moment. */
  readonly onDrop: (utcMs: number) => void;
  /** A press on the band that did not drag. */
  readonly onClick: (utcMs: number) => void;
  readonly onChange: () => void;
}

/** Wheel delta of one zoom step. */
const WHEEL_STEP = 90;
/** A press this near the playhead grabs it. */
const GRIP_PX = 9;

/** Handles pointer, wheel and pinch gestures on the timeline; positions are px from its left edge. */
export class TimelinePointer {
  readonly #options: TimelinePointerOptions;
  readonly #pan = new PanGesture();
  #hoverMs: number | undefined;
  #scrubMs: number | undefined;
  #wheel = 0;

  constructor(options: TimelinePointerOptions) {
    this.#options = options;
  }

  /** The moment under the pointer. */
  get hoverMs(): number | undefined {
    return this.#hoverMs;
  }

  /** The moment to which the playhead is being dragged. */
  get scrubMs(): number | undefined {
    return this.#scrubMs;
  }

  /** The timeline itself is being dragged. */
  get isDragging(): boolean {
    return this.#pan.isDragging;
  }

  /** A pointer is down: the viewer controls the view. */
  get isHeld(): boolean {
    return this.#pan.isPressed || this.#scrubMs !== undefined;
  }

  /** Advances the gliding of a thrown timeline; false when it isn't gliding. */
  glide(elapsedMs: number): boolean {
    if (!this.#pan.isGliding) return false;
    this.#options.window.panByPx(this.#pan.glide(elapsedMs));
    return true;
  }

  /** Ends a drag and any gliding. */
  cancel(): void {
    this.#pan.cancel();
  }

  /** A wheel or a trackpad: vertical movement zooms about the pointer, horizontal pans. Deltas in px. */
  wheel(px: number, deltaX: number, deltaY: number): void {
    const { window } = this.#options;
    if (Math.abs(deltaX) > Math.abs(deltaY)) {
      window.look();
      window.panByPx(-deltaX);
      return;
    }
    if (Math.sign(deltaY) !== Math.sign(this.#wheel)) this.#wheel = 0;
    this.#wheel += deltaY;
    while (Math.abs(this.#wheel) >= WHEEL_STEP) {
      const isIn = this.#wheel < 0;
      this.#wheel += isIn ? WHEEL_STEP : -WHEEL_STEP;
      const { scale } = window;
      const aboutMs = scale.toMs(px);
      window.show(isIn ? scale.zoomedIn(aboutMs) : scale.zoomedOut(aboutMs));
    }
  }

  /** A pinch: the distance of two fingers grew by `ratio` about `px`. */
  pinch(ratio: number, px: number): void {
    const { window } = this.#options;
    this.#pan.cancel();
    window.show(window.scale.pinched(ratio, window.scale.toMs(px)));
  }

  /**
   * Pointer down: on the playhead, the rail or an end of the selection it drags that; elsewhere it clicks or
   * pans.
   */
  press(px: number, isOnRail = false, reachPx = GRIP_PX): void {
    const { selection, window, clock } = this.#options;
    if (!isOnRail && selection.press(px, window.scale, reachPx)) this.#pan.cancel();
    else if (isOnRail || this.isAtPlayhead(px)) {
      this.#pan.cancel();
      this.#scrub(px);
    } else this.#pan.press(px, clock.monotonicMs());
  }

  /** Whether a press here would grab the playhead. */
  isAtPlayhead(px: number): boolean {
    const { window, playheadMs } = this.#options;
    const atMs = playheadMs();
    return atMs !== undefined && Math.abs(window.scale.toPx(atMs) - px) <= GRIP_PX;
  }

  /** Whether a press on the band would grab an end of the selection. */
  isAtSelection(px: number): boolean {
    const { selection, window } = this.#options;
    return selection.isHeld || selection.isAtEnd(px, window.scale, GRIP_PX);
  }

  /** Pointer move to `px`; drags while pressed. */
  move(px: number): void {
    const { selection, window, clock, onChange } = this.#options;
    if (selection.isHeld) {
      selection.move(px, window.scale, clock.wallMs());
      this.#hoverMs = window.scale.toMs(px);
      onChange();
      return;
    }
    if (this.#scrubMs !== undefined) {
      this.#scrub(px);
      return;
    }
    this.#hoverMs = window.scale.toMs(px);
    const byPx = this.#pan.move(px, clock.monotonicMs());
    if (byPx === undefined) onChange();
    else {
      window.look();
      window.panByPx(byPx);
    }
  }

  /** End of a press: a click, or a drag that may glide on. */
  release(px: number): void {
    const { selection, window, clock, onDrop, onClick, onChange } = this.#options;
    if (selection.isHeld) {
      selection.release();
      onChange();
      return;
    }
    if (this.#scrubMs !== undefined) {
      const ms = this.#scrubMs;
      this.#scrubMs = undefined;
      onDrop(ms);
      onChange();
      return;
    }
    const pressed = this.#pan.release(clock.monotonicMs());
    if (pressed === 'click') onClick(window.scale.toMs(px));
    else if (pressed === 'drag') onChange();
  }

  /** The pointer left; cancels a press. */
  leave(): void {
    this.#pan.cancel();
    this.#options.selection.release();
    this.#scrubMs = undefined;
    this.#hoverMs = undefined;
    this.#options.onChange();
  }

  #scrub(px: number): void {
    const { window, clock, onScrub } = this.#options;
    this.#scrubMs = Math.min(window.scale.toMs(px), clock.wallMs());
    this.#hoverMs = undefined;
    onScrub(this.#scrubMs);
  }
}
