import type { PageClock } from '../base/clock.ts';
import type { WaitReason } from './state.ts';

/** Why no frames arrive: the server is unreachable, the source delivers nothing, or neither is known. */
export type Absence = Extract<WaitReason, 'network' | 'source' | 'overload' | 'silent'>;

/** How long a frame may take while the usual interval is unknown, ms. */
const FIRST_MS = 6000;
const LEAST_MS = 3000;
/** However rare its key frames are, a frame this old is not live, ms. */
const MOST_MS = 30_000;
/** This many usual intervals without a frame are too long. */
const INTERVALS = 2.5;
/** The usual interval is the longest of this many: a GOP that was cut short does not predict the next. */
const INTERVALS_KEPT = 4;

/**
 * Whether the frames of a live stream keep arriving. Only an arrival makes the video live: neither an open
 * connection nor an element that shows something does. The player, moving tiles and key-frame tiles all use
 * this.
 */
export class FrameArrivals {
  readonly #clock: PageClock;
  #stopped: Absence | undefined;
  #hasFrame = false;
  #heardMs = 0;
  #heardWallMs = 0;
  #intervalsMs: number[] = [];

  constructor(clock: PageClock) {
    this.#clock = clock;
    this.restart();
  }

  /** A new link: its first frame is awaited. */
  restart(): void {
    this.#stopped = undefined;
    this.#hasFrame = false;
    this.#intervalsMs = [];
    this.#hear();
  }

  /** A frame arrived. It cancels `stop`. */
  note(): void {
    if (this.#hasFrame && this.#stopped === undefined)
      this.#intervalsMs = [...this.#intervalsMs.slice(1 - INTERVALS_KEPT), this.#sinceMs()];
    this.#hasFrame = true;
    this.#stopped = undefined;
    this.#hear();
  }

  /** The link reports that no frames come for now. */
  stop(absence: Absence): void {
    this.#stopped = absence;
  }

  /** The link reports that frames come again; the first one gets the time of any first frame. */
  resume(): void {
    if (this.#stopped === undefined) return;
    this.restart();
  }

  /** The link reported that no frames come, and none has come since. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Why the frame on screen is not live; undefined while frames arrive. */
  get absence(): Absence | undefined {
    if (this.#stopped !== undefined) return this.#stopped;
    return this.#sinceMs() > this.#limitMs() ? 'silent' : undefined;
  }

  #limitMs(): number {
    if (this.#intervalsMs.length === 0) return FIRST_MS;
    return Math.min(MOST_MS, Math.max(LEAST_MS, INTERVALS * Math.max(...this.#intervalsMs)));
  }

  /**
   * Time since the last frame, or since the link was created. The monotonic clock stops while the machine
   * sleeps.
   */
  #sinceMs(): number {
    const clock = this.#clock;
    return Math.max(clock.monotonicMs() - this.#heardMs, clock.wallMs() - this.#heardWallMs);
  }

  #hear(): void {
    this.#heardMs = this.#clock.monotonicMs();
    this.#heardWallMs = this.#clock.wallMs();
  }
}
