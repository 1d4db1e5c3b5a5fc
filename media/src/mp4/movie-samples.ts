/** The samples of one track of a movie file, before they are dated: what sample tables and fragments both describe. */
import { MalformedError } from '../malformed.ts';

/** A recording of an hour at 60 frames per second with audio has a third of this. */
const MAX_SAMPLES = 1 << 20;
/** Leaves room for shifting and rescaling. */
const MAX_TICKS = 2 ** 48;

export interface MovieSample {
  /** Decode time, ticks of the track as the file counts them. */
  readonly dts: number;
  /** Ticks. */
  readonly duration: number;
  /** Presentation time minus decode time, ticks, signed. */
  readonly compositionOffset: number;
  readonly isKey: boolean;
  /** Of its bytes, from the start of the file. */
  readonly position: number;
  readonly size: number;
}

/** Counts the samples of all tracks of a file against one limit. */
export class SampleBudget {
  #left = MAX_SAMPLES;

  /** @throws MalformedError if there are too many */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new MalformedError(`more than ${MAX_SAMPLES} samples`);
  }
}

/** @throws MalformedError for a time that no recording reaches */
export function checkedTicks(ticks: number): number {
  if (ticks > MAX_TICKS) throw new MalformedError('decode time exceeds 2^48');
  return ticks;
}
