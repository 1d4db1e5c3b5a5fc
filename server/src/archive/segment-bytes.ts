import type { Readable } from 'node:stream';
import { Fault } from '../base/fault.ts';
import type { CatalogReads, StreamRow } from './catalog-reads.ts';
import { openForReading } from './file-bytes.ts';
import { segmentPath } from './layout.ts';

/** A segment's file, as far as it may be read. */
export interface SegmentBytes {
  /** Committed length; bytes behind it are never served. */
  readonly size: number;
  /** The file will grow: an answer may not be kept for long. */
  readonly isGrowing: boolean;
  /** Bytes from `start` up to and with `endInclusive`. Call once, or `close`. */
  stream(start: number, endInclusive: number): Readable;
  close(): Promise<void>;
}

const chunkBytes = 262_144;

/** The file that a playlist calls `segment/<name>.mp4` (see playlist.ts). @throws Fault NotFound */
export async function openSegmentBytes(
  reads: CatalogReads,
  root: string,
  stream: StreamRow,
  name: string,
): Promise<SegmentBytes> {
  const startTicks = /^\d{1,16}$/.test(name) ? Number(name) : Number.NaN;
  const segment = Number.isSafeInteger(startTicks) ? reads.segment(stream.id, startTicks) : undefined;
  if (!segment) throw new Fault('NotFound', 'There is no such segment.');
  const handle = await openForReading(segmentPath(root, stream.uid, startTicks));
  return {
    size: segment.bytes,
    isGrowing: segment.isOpen,
    stream: (start, endInclusive) =>
      handle.createReadStream({
        start,
        end: Math.min(endInclusive, segment.bytes - 1),
        highWaterMark: chunkBytes,
      }),
    close: () => handle.close(),
  };
}
