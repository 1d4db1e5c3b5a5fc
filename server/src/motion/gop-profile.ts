/** Positions after the key frame that are distinguished; later ones in a long GOP share one. */
const positions = 64;
/** After about this many visits a position has forgotten earlier values. */
const memoryVisits = 30;
/** One visit moves a position by no more than this, octaves of size. */
const stepBound = 0.5;

/**
 * How much larger or smaller than the others the inter frame at each position of a GOP usually is, in octaves
 * of size. Encoders repeat a pattern: the first frames after a key frame cost more, every second one refers to
 * two frames, B-frames are small. Subtracted from the sizes, it leaves the effect of the scene.
 */
export class GopProfile {
  readonly #offsets = new Float32Array(2 * positions);
  readonly #visits = new Uint16Array(2 * positions);

  /** The expected offset at a position. `position`: frames since the key frame, from 1, in decode order. */
  offset(position: number, isReordered: boolean): number {
    return this.#offsets[slot(position, isReordered)] ?? 0;
  }

  /** Learns how far a frame was from its expected size, offset included. */
  learn(position: number, isReordered: boolean, away: number): void {
    const at = slot(position, isReordered);
    const visits = Math.min(memoryVisits, (this.#visits[at] ?? 0) + 1);
    this.#visits[at] = visits;
    const bounded = Math.max(-stepBound, Math.min(stepBound, away));
    this.#offsets[at] = (this.#offsets[at] ?? 0) + bounded * Math.max(1 / (visits + 1), 1 / memoryVisits);
  }
}

function slot(position: number, isReordered: boolean): number {
  return Math.min(positions, position) - 1 + (isReordered ? positions : 0);
}
