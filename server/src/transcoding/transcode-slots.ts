import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

/** So long a seat stays with who watches the archive GOP by GOP, after each. */
const heldMs = 20_000;
/** After so long without use it is no longer kept from others; who plays comes back for the next GOP before. */
const keptFromOthersMs = 4_000;

interface TranscodeSlot {
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
export class TranscodeSlots {
  readonly #clock: Clock;
  readonly #atOnce: () => number;
  readonly #slots = new Set<TranscodeSlot>();

  constructor(clock: Clock, atOnce: () => number) {
    this.#clock = clock;
    this.#atOnce = atOnce;
  }

  get taken(): number {
    return this.#slots.size;
  }

  /**
   * @param isKept for the same viewer, for a while after it was left
   * @returns leaves the seat; idempotent
   * @throws Fault QuotaReached
   */
  take(name: string, isKept: boolean): () => void {
    const slot = this.#keptFor(name) ?? this.#newSlot(name);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      slot.leftMs = this.#clock.monotonicMs();
      if (isKept) slot.cancelHold = this.#clock.after(heldMs, () => this.#slots.delete(slot));
      else this.#slots.delete(slot);
    };
  }

  /** Lets all seats go. */
  clear(): void {
    for (const { cancelHold } of this.#slots) cancelHold?.();
    this.#slots.clear();
  }

  #keptFor(name: string): TranscodeSlot | undefined {
    for (const slot of this.#slots) {
      if (slot.name !== name || !slot.cancelHold) continue;
      slot.cancelHold();
      slot.cancelHold = undefined;
      return slot;
    }
    return undefined;
  }

  /** Of the reserved seats, frees the one that was left first, unless that was just now. */
  #releaseIdlest(): void {
    let idlest: TranscodeSlot | undefined;
    for (const slot of this.#slots) {
      if (slot.cancelHold && slot.leftMs < (idlest?.leftMs ?? Infinity)) idlest = slot;
    }
    if (!idlest || this.#clock.monotonicMs() - idlest.leftMs < keptFromOthersMs) return;
    idlest.cancelHold?.();
    this.#slots.delete(idlest);
  }

  #newSlot(name: string): TranscodeSlot {
    const most = this.#atOnce();
    // One request in every twenty seconds must not keep everybody else out.
    if (this.#slots.size >= most) this.#releaseIdlest();
    if (this.#slots.size >= most)
      throw new Fault('QuotaReached', `All ${most} conversions for viewers are in use.`);
    const slot: TranscodeSlot = { name, cancelHold: undefined, leftMs: 0 };
    this.#slots.add(slot);
    return slot;
  }
}
