import { pipeline, Readable, Transform } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import type { CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import type { Damage, DamageLook } from './damage.ts';
import { corrupted, withoutTier, type ObjectStorageTier } from '../object-storage/object-storage.ts';
import {
  DamagedFootage,
  decodeSums,
  FragmentVerifier,
  openSegmentFile,
  readChunkBytes,
  readInChunks,
  segmentPath,
  type SegmentReader,
  type SummedFragment,
  RecordingFailure,
  systemCode,
} from '../segments/segments.ts';
import type { SegmentOpener } from './playback-catalog.ts';
import type { SegmentBytes, WantedBytes } from './archive-reader.ts';

/**
 * The bytes of this archive's segments, on the disk or in the bucket, whichever the row says at the time of the
 * request.
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

  /** Random access to one stream's segments: a reader finds damage that this check does not. */
  of(uid: string, look: DamageLook = 'ends'): SegmentOpener {
    return (segment) => this.#reader(uid, segment, look);
  }

  /** The same, by the start alone. @throws Fault NotFound, FarArchiveUnavailable */
  async open(uid: string, startTicks: number): Promise<SegmentReader> {
    return this.#reader(uid, this.#row(uid, startTicks), 'fragments');
  }

  /** The file that a playlist references as `segment/<name>.mp4` (see playlist.ts). @throws Fault NotFound */
  async bytes(uid: string, name: string, wanted?: WantedBytes): Promise<SegmentBytes> {
    const startTicks = /^\d{1,16}$/.test(name) ? Number(name) : Number.NaN;
    if (!Number.isSafeInteger(startTicks)) throw new Fault('NotFound', 'There is no such segment.');
    const row = this.#row(uid, startTicks);
    const part = wanted?.(row.bytes);
    const within = part && { fromByte: part.start, toByte: part.end + 1 };
    const intact = within && (await this.#damage.readIntact(uid, row, within));
    if (intact) return heldBytes(intact, within.fromByte, row.bytes);
    const look = within ?? 'fragments';
    return this.#where<SegmentBytes>(uid, row, look, {
      local: async (segment) => {
        const reader = await this.#openFile(uid, segment);
        return {
          size: segment.bytes,
          isGrowing: segment.isOpen,
          stream: (start, endInclusive) =>
            streamOf(reader, start, Math.min(endInclusive, segment.bytes - 1) - start + 1),
          close: () => reader.close(),
        };
      },
      remote: async (tier, segment) => ({
        size: segment.bytes,
        isGrowing: false,
        stream: async (start, endInclusive) => {
          const length = Math.min(endInclusive, segment.bytes - 1) - start + 1;
          const source = await tier.read(uid, startTicks, start, length);
          return comparedStream(source, start, length, this.#verifier(tier, uid, segment));
        },
        close: async () => {},
      }),
    });
  }

  #reader(uid: string, segment: SegmentRow, look: DamageLook): Promise<SegmentReader> {
    return this.#where(uid, segment, look, {
      local: (known) => {
        // The file no longer has the range planned from the earlier row.
        if (known.bytes < segment.bytes) throw new DamagedFootage();
        return this.#openFile(uid, segment);
      },
      remote: async (tier, row) => tier.open(uid, row.startTicks, row.bytes, this.#verifier(tier, uid, row)),
    });
  }

  /**
   * Compares what a store returns with the catalog. A corrupted fragment is never served completely: the
   * transfer is aborted instead of ending as if it had succeeded.
   */
  #verifier(
    tier: ObjectStorageTier,
    uid: string,
    segment: SegmentRow,
  ): (offset: number, bytes: Uint8Array) => boolean {
    const verifier = new FragmentVerifier(this.#summedFragments(segment));
    return (offset, bytes) => {
      const isAcceptable = verifier.accepts(offset, bytes);
      if (!isAcceptable) tier.noteDamaged(uid, segment.startTicks);
      return isAcceptable;
    };
  }

  #summedFragments(segment: SegmentRow): SummedFragment[] {
    const fragments = this.#reads.fragments(segment, this.#reads.initLength(segment.initId));
    const sums = decodeSums(this.#reads.fragmentSums(segment), fragments.length);
    return fragments.map(({ offset, bytes }, index) => ({ offset, bytes, checksum: sums[index] }));
  }

  /**
   * A segment's file; each failed read marks the segment. @throws Fault NotFound, Unavailable while the system
   * cannot read the file and nothing proves it damaged
   */
  async #openFile(uid: string, segment: SegmentRow): Promise<SegmentReader> {
    const failed = (offset: number, length: number, error?: unknown) =>
      this.#failureOf(uid, segment, { offset, length, error });
    let reader: SegmentReader;
    try {
      reader = await openSegmentFile(segmentPath(this.#root, uid, segment.startTicks));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw await failed(0, segment.bytes, error);
    }
    return {
      read: async (offset, length) => {
        try {
          return await reader.read(offset, length);
        } catch (error) {
          throw await failed(offset, length, error);
        }
      },
      distrust: (offset, length) => failed(offset, length),
      close: () => reader.close(),
    };
  }

  /** The error for a failed read. */
  async #failureOf(
    uid: string,
    segment: SegmentRow,
    { offset, length, error }: { offset: number; length: number; error?: unknown },
  ): Promise<Fault> {
    try {
      if (await this.#damage.isLost(uid, segment, offset, length)) return new DamagedFootage(error);
    } catch (cause) {
      // Another disk is mounted, so its files prove nothing.
      if (!(cause instanceof RecordingFailure)) throw cause;
    }
    return new Fault('Unavailable', 'An archive file cannot be read at the moment.', { cause: error });
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
      if (!known) throw new DamagedFootage();
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

  /** So that problems with a file are found before the response begins. */
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

/** A part of a file of `size` bytes that has been read already, from `offset`. */
function heldBytes(part: Uint8Array, offset: number, size: number): SegmentBytes {
  return {
    size,
    isGrowing: false,
    stream: async (start, endInclusive) =>
      Readable.from([part.subarray(start - offset, endInclusive + 1 - offset)], { objectMode: false }),
    close: async () => {},
  };
}

/**
 * The bytes as a stream; the first ones are read before the response begins. The stream fails if a later read
 * fails. The file is closed when the client disconnects, whether or not it has read anything.
 */
export async function streamOf(reader: SegmentReader, offset: number, length: number): Promise<Readable> {
  const firstBytes = Math.min(readChunkBytes, length);
  try {
    const first = await reader.read(offset, firstBytes);
    const chunks = startingWith(first, readInChunks(reader, offset + firstBytes, length - firstBytes));
    return Readable.from(chunks, { objectMode: false, highWaterMark: readChunkBytes }).once(
      'close',
      () => void reader.close(),
    );
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/**
 * Passes on what a store sends as it arrives. Fails if it ends early, so that a client does not wait for the
 * announced rest, or if a chunk is rejected.
 */
function comparedStream(
  source: Readable,
  offset: number,
  length: number,
  isAcceptable: (offset: number, bytes: Uint8Array) => boolean,
): Readable {
  let at = offset;
  const compared = new Transform({
    highWaterMark: readChunkBytes,
    transform(chunk: Uint8Array, _encoding, done) {
      const isWhole = isAcceptable(at, chunk);
      at += chunk.length;
      if (isWhole) done(null, chunk);
      else done(corrupted());
    },
    flush: (done) => done(at < offset + length ? corrupted() : null),
  });
  // The reader gets the error of either side.
  return pipeline(source, compared, () => {});
}

async function* startingWith(
  first: Uint8Array,
  others: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  yield* others;
}
