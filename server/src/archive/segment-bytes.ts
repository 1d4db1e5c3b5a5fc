import type { Readable } from 'node:stream';

/** A segment's readable bytes. */
export interface SegmentBytes {
  /** Committed length; bytes after it are never served. */
  readonly size: number;
  /** The file will grow: a response must not be cached for long. */
  readonly isGrowing: boolean;
  /** Bytes from `start` to `endInclusive`. Call once, or `close`. @throws Fault while they can't be read */
  stream(start: number, endInclusive: number): Promise<Readable>;
  close(): Promise<void>;
}
