import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

/** How long a viewer of the archive keeps a slot after each GOP. */
const heldMs = 20_000;
/** After this time without use a slot is available to others; a playing viewer requests the next GOP sooner. */
const keptFromOthersMs = 4_000;

interface TranscodeSlot {
  readonly name: string;
  /** Set while the slot is unused and reserved for its viewer. */
  cancelHold: Cancel | undefined;
  /** When it was released, on the monotonic clock. */
  leftMs: number;
}

/**
 * Limits how many transcodings run simultaneously. A viewer continues with the slot reserved for them: from GOP
 * to GOP, after a seek, from the archive to live.
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
   * @param isKept reserve it for the same viewer, for a while after its release
   * @returns a function that releases the slot; idempotent
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

  /** Releases all slots. */
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

  /** Frees the reserved slot that was released first, unless that was just now. */
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
    // One request every twenty seconds must not block all other viewers.
    if (this.#slots.size >= most) this.#releaseIdlest();
    if (this.#slots.size >= most)
      throw new Fault('QuotaReached', `All ${most} transcoding slots for viewers are in use.`);
    const slot: TranscodeSlot = { name, cancelHold: undefined, leftMs: 0 };
    this.#slots.add(slot);
    return slot;
  }
}
