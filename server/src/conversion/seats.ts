import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

/** So long a seat stays with who watches the archive GOP by GOP, after each. */
const heldMs = 20_000;
/** After so long without use it is no longer kept from others; who plays comes back for the next GOP before. */
const keptFromOthersMs = 4_000;

interface Seat {
  readonly name: string;
  /** Set while nobody converts on it and it is kept for its viewer. */
  cancelHold: Cancel | undefined;
  /** When it was left, on the monotonic clock. */
  leftMs: number;
}

/**
 * How many conversions run at once. A seat that was kept for a viewer is the one they go on with: from GOP to GOP,
 * after a seek, from the archive to live.
 */
export class Seats {
  readonly #clock: Clock;
  readonly #atOnce: () => number;
  readonly #seats = new Set<Seat>();

  constructor(clock: Clock, atOnce: () => number) {
    this.#clock = clock;
    this.#atOnce = atOnce;
  }

  get taken(): number {
    return this.#seats.size;
  }

  /**
   * @param isKept for the same viewer, for a while after it was left
   * @returns leaves the seat; idempotent
   * @throws Fault QuotaReached
   */
  take(name: string, isKept: boolean): () => void {
    const seat = this.#keptFor(name) ?? this.#newSeat(name);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      seat.leftMs = this.#clock.monotonicMs();
      if (isKept) seat.cancelHold = this.#clock.after(heldMs, () => this.#seats.delete(seat));
      else this.#seats.delete(seat);
    };
  }

  /** Lets all seats go. */
  clear(): void {
    for (const { cancelHold } of this.#seats) cancelHold?.();
    this.#seats.clear();
  }

  #keptFor(name: string): Seat | undefined {
    for (const seat of this.#seats) {
      if (seat.name !== name || !seat.cancelHold) continue;
      seat.cancelHold();
      seat.cancelHold = undefined;
      return seat;
    }
    return undefined;
  }

  /** Of the reserved seats, frees the one that was left first, unless that was just now. */
  #releaseIdlest(): void {
    let idlest: Seat | undefined;
    for (const seat of this.#seats) {
      if (seat.cancelHold && seat.leftMs < (idlest?.leftMs ?? Infinity)) idlest = seat;
    }
    if (!idlest || this.#clock.monotonicMs() - idlest.leftMs < keptFromOthersMs) return;
    idlest.cancelHold?.();
    this.#seats.delete(idlest);
  }

  #newSeat(name: string): Seat {
    const most = this.#atOnce();
    // One request in every twenty seconds must not keep everybody else out.
    if (this.#seats.size >= most) this.#releaseIdlest();
    if (this.#seats.size >= most)
      throw new Fault('QuotaReached', `All ${most} conversions for viewers are in use.`);
    const seat: Seat = { name, cancelHold: undefined, leftMs: 0 };
    this.#seats.add(seat);
    return seat;
  }
}
