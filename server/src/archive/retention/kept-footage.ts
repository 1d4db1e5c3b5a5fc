import type { SegmentRow } from '../catalog/catalog.ts';
import type { HeldFootage } from './held-footage.ts';
import type { Undeletable } from './undeletable.ts';

/** What every deletion passes over for now: footage that rules hold, and files that could not be deleted. */
export class KeptFootage {
  readonly held: HeldFootage;
  readonly undeletable: Undeletable;

  constructor(held: HeldFootage, undeletable: Undeletable) {
    this.held = held;
    this.undeletable = undeletable;
  }

  /** Segments of it on this node: a search for the oldest footage must look past as many. */
  get segments(): number {
    return this.undeletable.size + this.held.segments;
  }

  includes(uid: string, segment: SegmentRow): boolean {
    return this.undeletable.isResting(uid, segment) || this.held.isHeld(uid, segment);
  }
}
