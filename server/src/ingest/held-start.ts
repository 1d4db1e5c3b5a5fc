import type { Sample } from '@vidette/media/sample';

/** Maximum number of samples that wait for the second frame. */
const maxHeld = 500;

/** Holds the first samples of a source until its second frame, because a single frame is not a stream. */
export class HeldStart {
  /** Undefined once they have been released. */
  #held: Sample[] | undefined = [];
  #frames = 0;

  get isOver(): boolean {
    return this.#held === undefined;
  }

  /** One frame arrived, but no second one. */
  get isSingleFrame(): boolean {
    return this.#frames === 1;
  }

  /** Other tracks follow: the held samples do not belong to them. */
  restart(): void {
    this.#held = [];
    this.#frames = 0;
  }

  noteFrame(): void {
    this.#frames++;
  }

  /**
   * Takes a sample, until the samples are released.
   * @param isUrgent the first frame releases them
   * @returns the samples to pass on before this one; undefined if it is held too
   */
  take(sample: Sample, isUrgent: boolean): readonly Sample[] | undefined {
    const held = this.#held ?? [];
    if (this.#frames < (isUrgent ? 1 : 2) && held.length < maxHeld) {
      held.push(sample);
      return undefined;
    }
    this.#held = undefined;
    return held;
  }

  /** Ends the wait for a second frame. @returns the samples to pass on, if the first frame is among them */
  release(): readonly Sample[] | undefined {
    if (this.#frames === 0) return undefined;
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}
