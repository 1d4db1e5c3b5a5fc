/**
 * Samples that say where their bytes lie instead of holding views of them. A view and the list that it is in take as much
 * memory as everything else of a sample, for as long as the sample waits; and most are needed once, joined with those of
 * the samples before and after. Measured in design/ingest-cost.md.
 */
import {
  PlacedSample,
  SpanningSample,
  viewsOf,
  type Sample,
  type SampleHead,
  type SampleRecord,
} from './sample.ts';
import { eachPiece, type SampleBlock } from './sample-block.ts';

/**
 * The bytes of one frame, held for the one that gets it: in one block from there on, in several as in `SpanningSample`, or as
 * in `Sample`.
 */
export type FrameBytes =
  | { readonly block: SampleBlock; readonly from: number }
  | { readonly run: readonly SampleBlock[]; readonly from: number }
  | Pick<SampleRecord, 'data' | 'blocks'>;

/** Takes over the hold on the bytes. */
export function sampleOf(head: SampleHead, bytes: FrameBytes): Sample {
  if ('block' in bytes) return new PlacedSample(head, head.dts, head.pts, bytes.block, bytes.from);
  if ('run' in bytes) return new SpanningSample(head, head.dts, head.pts, bytes.run, bytes.from);
  return { ...head, ...bytes };
}

/** The slices of a frame, as in `Sample.data`. */
export function slicesOf(bytes: FrameBytes, size: number): readonly Uint8Array[] {
  if ('block' in bytes) return [bytes.block.view(bytes.from, size)];
  return 'run' in bytes ? viewsOf(bytes.run, bytes.from, size) : bytes.data;
}

/** The same sample at another time, ticks of its track; in the same memory, held only once for both. */
export function atTime(sample: Sample, dts: number, pts: number): Sample {
  if (sample instanceof SpanningSample)
    return new SpanningSample(sample, dts, pts, sample.blocks, sample.from);
  return sample instanceof PlacedSample
    ? new PlacedSample(sample, dts, pts, sample.block, sample.from)
    : { ...sample, dts, pts };
}

/** The bytes of samples in order, as slices: one for those that lie one after the other. */
export class JoinedData {
  readonly #slices: Uint8Array[] = [];
  /** The slice that may grow. */
  #block: SampleBlock | undefined;
  #from = 0;
  #to = 0;

  add(sample: Sample): void {
    if (!(sample instanceof PlacedSample)) {
      this.#endSlice();
      this.#slices.push(...sample.data);
      return;
    }
    if (!(sample instanceof SpanningSample)) {
      this.#addPiece(sample.block, sample.from, sample.size);
      return;
    }
    eachPiece(sample.blocks, sample.from, sample.size, (block, from, size) =>
      this.#addPiece(block, from, size),
    );
  }

  /** All of them; to be called once, at the end. */
  slices(): Uint8Array[] {
    this.#endSlice();
    return this.#slices;
  }

  #addPiece(block: SampleBlock, from: number, size: number): void {
    if (block !== this.#block || from !== this.#to) {
      this.#endSlice();
      this.#block = block;
      this.#from = from;
    }
    this.#to = from + size;
  }

  #endSlice(): void {
    if (this.#block) this.#slices.push(this.#block.view(this.#from, this.#to - this.#from));
    this.#block = undefined;
  }
}
