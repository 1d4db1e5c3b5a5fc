import { rescaleTicks } from '@vidette/media/time';
import { fingerprintOf, type Continuation, type HandOverPoint } from '../archive/record/record.ts';
import type { Clock } from '../base/clock.ts';
import { GopHistory, type HeldGop } from '../hub/gop-history.ts';
import type { Stream } from '../hub/stream.ts';

const catalogTimescale = 90_000;
/**
 * What a stream in standby holds at most, so that its recorder need not begin with the newest GOP: the other process may
 * wait for a slow disk before it says where it has ended.
 */
const held = { maxBytes: 24 * 1024 * 1024, maxSeconds: 60 };
/**
 * Footage that ends so long after the start of a GOP, or that share of it, ends before it: that is the difference between
 * the times of two sessions. Fragments are longer.
 */
const skew = { ticks: catalogTimescale / 4, share: 1 / 4 };
/** The times of one frame in two sessions differ by less. */
const sameFrameTicks = 10 * catalogTimescale;
/** One session may be later than the other. A frame this much later shows that the one that is looked for won't arrive... */
const pastTicks = 5 * catalogTimescale;
/** ...as does this time. */
const lateMs = 30_000;

/**
 * A stream that this process receives while another one still records it. It holds the last GOPs, and finds among them
 * the one at which the other has ended.
 */
export class Standby {
  readonly #clock: Clock;
  readonly #history: GopHistory;
  #onGop: (() => void)[] = [];

  constructor(stream: Stream, clock: Clock) {
    this.#clock = clock;
    this.#history = new GopHistory(stream, {
      ...held,
      onGop: () => {
        const waiting = this.#onGop;
        this.#onGop = [];
        for (const look of waiting) look();
      },
    });
  }

  /** Resolves when a GOP has begun; the other recorder may end then. */
  async begun(): Promise<void> {
    while (this.#history.gops.length === 0) await new Promise<void>((resolve) => this.#onGop.push(resolve));
  }

  /** Waits for the frame at which the other has ended, unless it has been received, for as long as it may arrive. */
  async reach(point: HandOverPoint): Promise<void> {
    let isLate = point.fingerprint === undefined;
    const isPast = () => this.#history.gops.some((gop) => ticksOf(gop) - point.atTicks > pastTicks);
    const cancel = this.#clock.after(lateMs, () => {
      isLate = true;
      for (const look of this.#onGop.splice(0)) look();
    });
    while (!isLate && !this.#same(point) && !isPast())
      await new Promise<void>((resolve) => this.#onGop.push(resolve));
    cancel();
  }

  /**
   * From the frame at which the other has ended, dated as there. If it was not received, because the camera encodes for
   * each session, from the first key frame that is not before; undefined: from the next one.
   */
  continuationAt(point: HandOverPoint): Continuation | undefined {
    const same = this.#same(point);
    const gop = same ?? this.#history.gops.find((candidate) => ticksOf(candidate) >= point.atTicks);
    if (!gop) return undefined;
    const atTicks = same && point.atTicks + point.shiftTicks;
    return { events: this.#history.eventsFrom(gop), atTicks };
  }

  /**
   * From the first GOP that is not on the disk: another process was lost, which had recorded up to `endTicks`. Waits for
   * it, as long as it may arrive; undefined: from the next key frame.
   * @param shiftTicks by how much this session's times are later in the catalog
   */
  async continuationAfter(endTicks: number, shiftTicks: number): Promise<Continuation | undefined> {
    let isLate = false;
    const cancel = this.#clock.after(lateMs, () => {
      isLate = true;
      for (const look of this.#onGop.splice(0)) look();
    });
    const atTicks = endTicks - shiftTicks;
    // Footage of the future is not reached: the clock was set back.
    const mayArrive = () => this.#history.gops.every((gop) => atTicks - ticksOf(gop) < sameFrameTicks);
    while (!isLate && !this.#firstAfter(atTicks) && mayArrive())
      await new Promise<void>((resolve) => this.#onGop.push(resolve));
    cancel();
    const found = this.#firstAfter(atTicks);
    if (!found) return undefined;
    return { events: this.#history.eventsFrom(found.gop), atTicks: found.follows ? endTicks : undefined };
  }

  close(): void {
    this.#history.close();
    for (const look of this.#onGop.splice(0)) look();
  }

  /** The first GOP that begins where footage ends, or later, and whether it begins there. */
  #firstAfter(endTicks: number): { gop: HeldGop; follows: boolean } | undefined {
    const { gops } = this.#history;
    for (const [at, gop] of gops.entries()) {
      // The newest one is taken to be as long as the one before.
      const [first = gop, second] = gops.slice(at < gops.length - 1 ? at : Math.max(0, at - 1));
      const length = second ? ticksOf(second) - ticksOf(first) : Number.POSITIVE_INFINITY;
      const mostTicks = Math.min(skew.ticks, length * skew.share);
      const lateTicks = ticksOf(gop) - endTicks;
      if (lateTicks >= -mostTicks) return { gop, follows: lateTicks <= mostTicks };
    }
    return undefined;
  }

  /** The GOP that starts with the same frame; of several, such as those of a still picture, the nearest in time. */
  #same({ fingerprint, atTicks }: HandOverPoint): HeldGop | undefined {
    if (fingerprint === undefined) return undefined;
    const distance = (gop: HeldGop) => Math.abs(ticksOf(gop) - atTicks);
    const [nearest] = this.#history.gops
      .filter((gop) => distance(gop) < sameFrameTicks && fingerprintOf(gop.key) === fingerprint)
      .toSorted((a, b) => distance(a) - distance(b));
    return nearest;
  }
}

function ticksOf({ key, track }: HeldGop): number {
  return rescaleTicks(key.dts, track.timescale, catalogTimescale);
}
