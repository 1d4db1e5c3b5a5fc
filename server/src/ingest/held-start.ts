import type { Sample } from '@vidette/media/sample';

/** Maximum number of samples that wait for the second frame. */
const maxHeld = 500;

/** Holds the first samples of a source until its second frame: a single frame is not a stream. */
export class HeldStart {
  /** Undefined once they have been released. */
  #held: Sample[] | undefined = [];
  #frames = 0;

  get isOver(): boolean {
    return this.#held === undefined;
  }

  /** One frame arrived, but no second one. */
  get isSingleFrame(): boolean {
    return this.#held !== undefined && this.#frames > 0;
  }

  /** Other tracks follow: the held samples do not belong to them. */
  restart(): void {
    this.#held = [];
    this.#frames = 0;
  }

  /**
   * Takes a sample, until the samples are released.
   * @returns the samples to pass on before this one; undefined if it is held too
   */
  take(sample: Sample, isFrame: boolean): readonly Sample[] | undefined {
    const held = this.#held ?? [];
    if (isFrame) this.#frames++;
    if (this.#frames < 2 && held.length < maxHeld) {
      held.push(sample);
      return undefined;
    }
    this.#held = undefined;
    return held;
  }
}
