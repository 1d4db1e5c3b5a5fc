import type { Readable } from 'node:stream';

/** A segment's bytes, as far as they may be read. */
export interface SegmentBytes {
  /** Committed length; bytes behind it are never served. */
  readonly size: number;
  /** The file will grow: an answer may not be kept for long. */
  readonly isGrowing: boolean;
  /** Bytes from `start` up to and with `endInclusive`. Call once, or `close`. @throws Fault while they can't be read */
  stream(start: number, endInclusive: number): Promise<Readable>;
  close(): Promise<void>;
}
