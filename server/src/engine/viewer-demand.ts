import type { Cancel, Clock } from '../base/clock.ts';

/** How long an on-demand source keeps running after the last demand for it. */
export const demandMs = 30_000;

/**
 * Tracks the demand for an on-demand source: viewers while they watch, and leases that each last `demandMs`.
 * Reports when demand begins and ends.
 */
export class ViewerDemand {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #viewers = 0;
  #cancelExpiry: Cancel | undefined;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isHeld(): boolean {
    return this.#viewers > 0 || this.#cancelExpiry !== undefined;
  }

  get viewers(): number {
    return this.#viewers;
  }

  /** Requests the source for `demandMs` from now. */
  extend(): void {
    const wasHeld = this.isHeld;
    this.#cancelExpiry?.();
    this.#cancelExpiry = this.#clock.after(demandMs, () => {
      this.#cancelExpiry = undefined;
      if (!this.isHeld) this.#onChange();
    });
    if (!wasHeld) this.#onChange();
  }

  /** Requests the source until the returned function is called (idempotent), and for `demandMs` after. */
  addViewer(): () => void {
    const wasHeld = this.isHeld;
    this.#viewers++;
    if (!wasHeld) this.#onChange();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.extend();
      this.#viewers--;
    };
  }

  /** Drops all demand, at the end of the stream. */
  clear(): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    this.#viewers = 0;
  }
}
