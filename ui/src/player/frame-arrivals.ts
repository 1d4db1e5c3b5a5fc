import type { PageClock } from '../base/clock.ts';
import type { WaitReason } from './state.ts';

/** Why no frames arrive: the server can't be reached, the source delivers nothing, or neither is known. */
export type Absence = Extract<WaitReason, 'network' | 'source' | 'silent'>;

/** Frames may take so long while their usual interval is unknown, ms. */
const FIRST_MS = 6000;
const LEAST_MS = 3000;
/** However rare its key frames are, a picture this old is not live, ms. */
const MOST_MS = 30_000;
/** So many usual intervals without a frame are too long. */
const INTERVALS = 2.5;
/** The longest of so many intervals is the usual one: a GOP that was cut short says nothing about the next. */
const INTERVALS_KEPT = 4;

/**
 * Whether the frames of a live stream keep arriving. Only an arrival makes a picture live: neither an open connection
 * nor an element that has something on the screen does. The player, tiles that move and tiles that show key frames
 * all ask this.
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

  /** Another link: its first frame is waited for. */
  restart(): void {
    this.#stopped = undefined;
    this.#hasFrame = false;
    this.#intervalsMs = [];
    this.#hear();
  }

  /** A frame arrived. It ends what `stop` said. */
  note(): void {
    if (this.#hasFrame && this.#stopped === undefined)
      this.#intervalsMs = [...this.#intervalsMs.slice(1 - INTERVALS_KEPT), this.#sinceMs()];
    this.#hasFrame = true;
    this.#stopped = undefined;
    this.#hear();
  }

  /** The link says that no frames come for now. */
  stop(absence: Absence): void {
    this.#stopped = absence;
  }

  /** The link says that frames come again; the first one has as long as any first one. */
  resume(): void {
    if (this.#stopped === undefined) return;
    this.restart();
  }

  /** Why the picture on the screen is not live; undefined while frames arrive. */
  get absence(): Absence | undefined {
    if (this.#stopped !== undefined) return this.#stopped;
    return this.#sinceMs() > this.#limitMs() ? 'silent' : undefined;
  }

  #limitMs(): number {
    if (this.#intervalsMs.length === 0) return FIRST_MS;
    return Math.min(MOST_MS, Math.max(LEAST_MS, INTERVALS * Math.max(...this.#intervalsMs)));
  }

  /** Since the last frame, or since the link was made. The monotonic clock stops while the machine sleeps. */
  #sinceMs(): number {
    const clock = this.#clock;
    return Math.max(clock.monotonicMs() - this.#heardMs, clock.wallMs() - this.#heardWallMs);
  }

  #hear(): void {
    this.#heardMs = this.#clock.monotonicMs();
    this.#heardWallMs = this.#clock.wallMs();
  }
}
