import { eachPiece, type SampleBlock } from './sample-block.ts';

/**
 * One coded video frame or one audio frame on its way from the camera to its readers. Samples are immutable and
 * shared by all readers of a stream: no reader writes to `data`. A copy by spread would lack the data of a `PlacedSample`, and the
 * compiler rejects it where a sample is expected: use `atTime` of `placed-sample.ts`.
 */
export type Sample = SampleRecord | PlacedSample;

/** A sample that holds its data. */
export interface SampleRecord {
  /** The `id` of the track it belongs to. */
  readonly trackId: number;
  /**
   * Decode time in ticks of the track's timescale since 1970-01-01T00:00:00Z; strictly increasing within a
   * track.
   */
  readonly dts: number;
  /** Presentation time, same unit; differs from `dts` when frames are reordered (B-frames). */
  readonly pts: number;
  /** A decoder can start here: IDR (or CRA, BLA) for video; always true for audio. */
  readonly isKey: boolean;
  /**
   * Part of the frame was lost in transit (a gap in the RTP sequence); it decodes with artefacts or not at all.
   */
  readonly isDamaged: boolean;
  /**
   * The coded bytes as slices, in order, not joined: NAL units each preceded by its 4-byte length for video,
   * one raw AAC or Opus frame for audio. Reading it may make another list and other views.
   */
  readonly data: readonly Uint8Array[];
  /** Sum of the lengths of `data`, bytes. */
  readonly size: number;
  /**
   * The memory that `data` lies in, if it is used again when no reader needs it any more. A reader of `data` after the call in
   * which it got the sample holds or keeps it (`sample-block.ts`); the hub does so for its readers. Absent: `data` is valid as
   * long as it is referenced.
   */
  readonly blocks?: readonly SampleBlock[];
}

/** All of a sample but its bytes. */
export type SampleHead = Pick<SampleRecord, 'trackId' | 'dts' | 'pts' | 'isKey' | 'isDamaged' | 'size'>;

/**
 * A sample that says where its bytes lie; see `placed-sample.ts`. Thousands wait for the end of their GOP, so that each word
 * of one counts: what fits into a small integer shares it, and the presentation time is kept as its distance to `dts`.
 */
export class PlacedSample implements SampleRecord {
  readonly dts: number;
  readonly size: number;
  readonly block: SampleBlock;
  readonly from: number;
  /** From `dts` to `pts`. */
  readonly #compositionOffset: number;
  /** The track's id, and a bit for each of `isKey` and `isDamaged`. */
  readonly #marks: number;

  constructor(head: SampleHead, dts: number, pts: number, block: SampleBlock, from: number) {
    this.dts = dts;
    this.size = head.size;
    this.block = block;
    this.from = from;
    this.#compositionOffset = pts - dts;
    this.#marks = head.trackId * 4 + (head.isKey ? 2 : 0) + (head.isDamaged ? 1 : 0);
  }

  get trackId(): number {
    return Math.floor(this.#marks / 4);
  }

  get pts(): number {
    return this.dts + this.#compositionOffset;
  }

  get isKey(): boolean {
    return (this.#marks & 2) !== 0;
  }

  get isDamaged(): boolean {
    return (this.#marks & 1) !== 0;
  }

  get data(): readonly Uint8Array[] {
    return [this.block.view(this.from, this.size)];
  }

  get blocks(): readonly SampleBlock[] {
    return this.block.alone;
  }
}

/** A sample whose bytes fill its first block to the end and go on in others, as `eachPiece` gives them. */
export class SpanningSample extends PlacedSample {
  readonly #all: readonly SampleBlock[];

  /** `blocks`: `block`, and at least one more. */
  constructor(head: SampleHead, dts: number, pts: number, blocks: readonly SampleBlock[], from: number) {
    const [first] = blocks;
    if (!first) throw new RangeError('A sample without a block.');
    super(head, dts, pts, first, from);
    this.#all = blocks;
  }

  override get data(): readonly Uint8Array[] {
    return viewsOf(this.#all, this.from, this.size);
  }

  override get blocks(): readonly SampleBlock[] {
    return this.#all;
  }
}

/** The pieces of bytes in these blocks, as views. */
export function viewsOf(blocks: readonly SampleBlock[], from: number, size: number): readonly Uint8Array[] {
  const views: Uint8Array[] = [];
  eachPiece(blocks, from, size, (block, at, bytes) => views.push(block.view(at, bytes)));
  return views;
}
