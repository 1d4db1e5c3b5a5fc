import { pipeline, Transform, type Readable } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import type { CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import type { Damage, DamageLook } from './damage.ts';
import { withoutTier, type ObjectStorageTier } from '../object-storage/object-storage.ts';
import {
  openForReading,
  openSegmentFile,
  type SegmentReader,
  segmentPath,
  RecordingFailure,
} from '../segments/segments.ts';
import type { SegmentOpener } from './playback-catalog.ts';
import type { SegmentBytes } from './archive-reader.ts';

const chunkBytes = 262_144;

/**
 * The bytes of this archive's segments, on the disk or in the bucket, as their row says when they are
 * requested.
 */
export class StoredSegments {
  readonly #root: string;
  readonly #reads: CatalogReads;
  readonly #tier: ObjectStorageTier | undefined;
  readonly #damage: Damage;

  constructor(root: string, reads: CatalogReads, tier: ObjectStorageTier | undefined, damage: Damage) {
    this.#damage = damage;
    this.#root = root;
    this.#reads = reads;
    this.#tier = tier;
  }

  /** Random access to one stream's segments: a reader finds damage that a check of the ends does not. */
  of(uid: string): SegmentOpener {
    return (segment) => this.#reader(uid, segment, 'ends');
  }

  /** The same, by the start alone. @throws Fault NotFound, FarArchiveUnavailable */
  async open(uid: string, startTicks: number): Promise<SegmentReader> {
    return this.#reader(uid, this.#row(uid, startTicks), 'fragments');
  }

  /** The file that a playlist calls `segment/<name>.mp4` (see playlist.ts). @throws Fault NotFound */
  async bytes(uid: string, name: string): Promise<SegmentBytes> {
    const startTicks = /^\d{1,16}$/.test(name) ? Number(name) : Number.NaN;
    if (!Number.isSafeInteger(startTicks)) throw new Fault('NotFound', 'There is no such segment.');
    return this.#where<SegmentBytes>(uid, this.#row(uid, startTicks), 'fragments', {
      local: async (segment) => {
        const handle = await openForReading(segmentPath(this.#root, uid, startTicks));
        return {
          size: segment.bytes,
          isGrowing: segment.isOpen,
          stream: async (start, endInclusive) => {
            const end = Math.min(endInclusive, segment.bytes - 1);
            return endingWhole(
              handle.createReadStream({ start, end, highWaterMark: chunkBytes }),
              end - start + 1,
            );
          },
          close: () => handle.close(),
        };
      },
      remote: async (tier, { bytes }) => ({
        size: bytes,
        isGrowing: false,
        stream: (start, endInclusive) =>
          tier.read(uid, startTicks, start, Math.min(endInclusive, bytes - 1) - start + 1),
        close: async () => {},
      }),
    });
  }

  #reader(uid: string, segment: SegmentRow, look: DamageLook): Promise<SegmentReader> {
    return this.#where(uid, segment, look, {
      local: ({ startTicks, bytes }) => {
        // The range planned from the earlier row is no longer complete.
        if (bytes < segment.bytes) throw damaged();
        return openSegmentFile(segmentPath(this.#root, uid, startTicks));
      },
      remote: async (tier, { startTicks, bytes }) => tier.open(uid, startTicks, bytes),
    });
  }

  /** A file that existed when its row was read may have been moved since: then the current row says so. */
  async #where<T>(
    uid: string,
    segment: SegmentRow,
    look: DamageLook,
    open: {
      local(segment: SegmentRow): Promise<T>;
      remote(tier: ObjectStorageTier, segment: SegmentRow): Promise<T>;
    },
  ): Promise<T> {
    if (!segment.isRemote) {
      const { streamId, startTicks } = segment;
      await this.#look(uid, streamId, startTicks, look);
      const known = this.#reads.segment(streamId, startTicks);
      if (!known) throw damaged();
      try {
        return await open.local(known);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'NotFound') throw error;
        if (!this.#row(uid, segment.startTicks).isRemote) throw error;
      }
    }
    if (!this.#tier) throw withoutTier();
    return open.remote(this.#tier, segment);
  }

  /** So that problems with a file are known before any of its bytes are promised. */
  async #look(uid: string, streamId: number, startTicks: number, look: DamageLook): Promise<void> {
    try {
      await this.#damage.isAsKnown(uid, streamId, startTicks, look);
    } catch (error) {
      // Another disk is mounted: the file does not exist there.
      if (!(error instanceof RecordingFailure)) throw error;
    }
  }

  #row(uid: string, startTicks: number): SegmentRow {
    const stream = this.#reads.stream(uid);
    const segment = stream && this.#reads.segment(stream.id, startTicks);
    if (!segment) throw new Fault('NotFound', 'There is no such segment.');
    return segment;
  }
}

function damaged(): Fault {
  return new Fault('NotFound', 'This part of the archive is damaged.');
}

/**
 * Fails if the file ends early: a reader that was promised more must not wait for it. The file is closed when
 * the reader leaves, whether or not it has read anything.
 */
function endingWhole(source: Readable, bytes: number): Readable {
  let left = bytes;
  const counted = new Transform({
    highWaterMark: chunkBytes,
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      done(null, chunk);
    },
    flush: (done) => done(left > 0 ? damaged() : null),
  });
  // The reader gets the error of either side.
  return pipeline(source, counted, () => {});
}
