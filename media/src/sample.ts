import type { SampleBlock } from './sample-block.ts';

/**
 * One coded video frame or one audio frame on its way from the camera to its readers. Samples are immutable and
 * shared by all readers of a stream: no reader writes to `data`.
 */
export interface Sample {
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
