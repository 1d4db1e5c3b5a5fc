import type { Readable } from 'node:stream';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { ObjectKeys } from './object-keys.ts';
import { ObjectReader } from './object-reader.ts';
import {
  ObjectStoreError,
  type ObjectSummary,
  type ObjectStore,
  type ObjectStoreTrouble,
} from './object-store.ts';
import { type SegmentReader, archiveIdIn, markerBytes } from '../segments/segments.ts';

/** Why the store cannot be used at the moment. */
export interface ObjectStorageProblem {
  readonly code: ErrorCode;
  /** In English, without secrets. */
  readonly reason: string;
  /** Ms since the epoch. */
  readonly sinceMs: number;
}

const codes: Readonly<Record<ObjectStoreTrouble, ErrorCode>> = {
  away: 'FarArchiveUnavailable',
  refused: 'FarArchiveRefused',
  foreign: 'FarArchiveForeign',
  damaged: 'FarArchiveDamaged',
};

/** For this long after a failure, readers fail immediately. */
const failFastMs = 3_000;
const markerMaxBytes = 4_096;
/** A range of at most two megabytes must arrive within this time, or the store counts as unavailable. */
const spanMs = 30_000;
/** How long a segment counts as damaged after a read revealed it. */
const damagedMs = 3_600_000;
const damagedMax = 1_000;

/** The bucket of this archive: its objects by segment, its identity check, and its state. */
export class ObjectStorageTier {
  readonly name: string;
  readonly keys: ObjectKeys;
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #problem: ObjectStorageProblem | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #isVerified = false;
  /** When a segment's bytes were last found to be corrupted, by key, monotonic ms; the oldest first. */
  readonly #damagedAtMs = new Map<string, number>();

  constructor(options: { store: ObjectStore; keys: ObjectKeys; clock: Clock; log: Log }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.keys = options.keys;
    this.name = options.store.name;
  }

  /** The problem found by the last request; undefined if there was none. */
  get problem(): ObjectStorageProblem | undefined {
    return this.#problem;
  }

  /**
   * Verifies that the bucket belongs to this archive, once, and again after every problem.
   * @param isUnused nothing has been moved there yet, so this archive claims a bucket without a marker
   * @throws ObjectStoreError
   */
  async verify(archiveId: string, isUnused: boolean): Promise<void> {
    if (this.#isVerified) return;
    await this.#watch(async () => {
      const found = await readRemoteMarker(this.#store, this.keys);
      if (found === archiveId) return;
      if (found === undefined && isUnused) {
        const bytes = markerBytes(archiveId);
        const reader = { read: async () => bytes };
        await this.#store.send(this.keys.marker, reader, bytes.length, {});
        return;
      }
      const words =
        found === undefined
          ? `has no marker at ${this.keys.marker} although it should contain footage of this archive`
          : `contains another archive at ${this.keys.root}`;
      throw new ObjectStoreError('foreign', `${this.name} ${words}`);
    });
    this.#isVerified = true;
    this.#noteWell();
  }

  /** @throws ObjectStoreError */
  find(uid: string, startTicks: number): Promise<ObjectSummary | undefined> {
    return this.#watch(() => this.#store.find(this.keys.of(uid, startTicks)));
  }

  /** The first `bytes` of a segment's file. @throws ObjectStoreError */
  send(
    uid: string,
    startTicks: number,
    reader: SegmentReader,
    bytes: number,
    metadata: Record<string, string>,
  ): Promise<void> {
    return this.#watch(() => this.#store.send(this.keys.of(uid, startTicks), reader, bytes, metadata));
  }

  /** @throws ObjectStoreError */
  remove(uid: string, startsTicks: readonly number[]): Promise<void> {
    return this.#watch(() => this.#store.remove(startsTicks.map((ticks) => this.keys.of(uid, ticks))));
  }

  /** Aborts uploads that an earlier run left unfinished when it was killed. @throws ObjectStoreError */
  abandonSending(): Promise<void> {
    return this.#watch(() => this.#store.abandonSending(this.keys.root));
  }

  /** Random access to a segment of this many bytes; ranges that `isAcceptable` rejects are not served. */
  open(
    uid: string,
    startTicks: number,
    bytes: number,
    isAcceptable?: (offset: number, bytes: Uint8Array) => boolean,
  ): SegmentReader {
    const readSpan = async (offset: number, length: number) => {
      const span = await this.read(uid, startTicks, offset, length);
      return await this.#whole(span, length);
    };
    return new ObjectReader(readSpan, bytes, isAcceptable);
  }

  /** The store returned bytes of this segment other than the recorded ones. */
  noteDamaged(uid: string, startTicks: number): void {
    const key = this.keys.of(uid, startTicks);
    if (!this.#damagedAtMs.has(key)) {
      this.#log.error(
        { code: 'FarArchiveDamaged', store: this.name, key },
        'Object storage returned corrupted footage; the transfer is aborted',
      );
    }
    this.#damagedAtMs.delete(key);
    this.#damagedAtMs.set(key, this.#clock.monotonicMs());
    const [oldest] = this.#damagedAtMs.keys();
    if (oldest !== undefined && this.#damagedAtMs.size > damagedMax) this.#damagedAtMs.delete(oldest);
  }

  /** Segments of which the store returned corrupted bytes within the last hour, at most a thousand. */
  get damagedCount(): number {
    const sinceMs = this.#clock.monotonicMs() - damagedMs;
    for (const [key, atMs] of this.#damagedAtMs) if (atMs < sinceMs) this.#damagedAtMs.delete(key);
    return this.#damagedAtMs.size;
  }

  /** Bytes of a segment, streamed from the store. @throws Fault NotFound, FarArchiveUnavailable */
  async read(uid: string, startTicks: number, offset: number, length: number): Promise<Readable> {
    this.#failFast();
    const span = await this.#asReader(() =>
      this.#watch(() => this.#store.read(this.keys.of(uid, startTicks), offset, length)),
    );
    if (!span) throw new Fault('NotFound', 'This part of the archive no longer exists.');
    return span;
  }

  close(): void {
    this.#store.close();
  }

  async #whole(span: Readable, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    await this.#asReader(async () => {
      const late = new ObjectStoreError('away', `${this.name} is too slow`);
      const cancel = this.#clock.after(spanMs, () => span.destroy(late));
      try {
        for await (const chunk of span as AsyncIterable<Buffer>) {
          if (at + chunk.length > length)
            throw new ObjectStoreError('damaged', `${this.name} sent more bytes than requested`);
          at += chunk.copy(bytes, at);
        }
      } catch (error) {
        // A broken connection has its own error.
        const trouble =
          error instanceof ObjectStoreError
            ? error
            : new ObjectStoreError(
                'away',
                `the transfer from ${this.name} was interrupted: ${(error as Error).message}`,
                error,
              );
        this.#noteTrouble(trouble);
        throw trouble;
      } finally {
        cancel();
      }
      if (at < length) throw new ObjectStoreError('away', `the transfer from ${this.name} ended early`);
    });
    return bytes;
  }

  #failFast(): void {
    if (this.#problem && this.#clock.monotonicMs() - this.#failedAtMs < failFastMs) throw unavailable();
  }

  async #asReader<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ObjectStoreError) throw unavailable(error);
      throw error;
    }
  }

  async #watch<T>(request: () => Promise<T>): Promise<T> {
    try {
      const answer = await request();
      // A response doesn't prove that the bucket belongs to this archive: `verify` does.
      if (this.#problem?.code !== codes.foreign) this.#noteWell();
      return answer;
    } catch (error) {
      if (error instanceof ObjectStoreError) this.#noteTrouble(error);
      throw error;
    }
  }

  #noteWell(): void {
    if (!this.#problem) return;
    this.#problem = undefined;
    this.#log.info({ store: this.name }, 'Object storage is available again');
  }

  #noteTrouble(error: ObjectStoreError): void {
    this.#failedAtMs = this.#clock.monotonicMs();
    // An error with one object doesn't affect the others.
    if (error.trouble === 'damaged') return;
    this.#isVerified = false;
    const code = codes[error.trouble];
    if (this.#problem?.code === code) return;
    this.#problem = { code, reason: error.message, sinceMs: this.#clock.wallMs() };
    this.#log.error(
      { code, err: error, store: this.name },
      'Object storage is unavailable; footage stays on the disk',
    );
  }
}

/** The identity of the archive that the bucket belongs to; undefined without a marker. @throws ObjectStoreError */
export async function readRemoteMarker(store: ObjectStore, keys: ObjectKeys): Promise<string | undefined> {
  const marker = await store.find(keys.marker);
  if (!marker || marker.bytes === 0 || marker.bytes > markerMaxBytes) return undefined;
  const stream = await store.read(keys.marker, 0, marker.bytes);
  if (!stream) return undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    if (error instanceof ObjectStoreError) throw error;
    throw new ObjectStoreError(
      'away',
      `the transfer from ${store.name} was interrupted: ${(error as Error).message}`,
      error,
    );
  }
  return archiveIdIn(Buffer.concat(chunks).toString('utf8'));
}

function unavailable(cause?: unknown): Fault {
  return new Fault(
    'FarArchiveUnavailable',
    'The storage that holds this part of the archive does not answer.',
    cause === undefined ? {} : { cause },
  );
}

/** Serves requests for footage in object storage when no bucket is configured. */
export function withoutTier(): Fault {
  return new Fault(
    'FarArchiveUnavailable',
    'This part of the archive is in a bucket that is not configured.',
  );
}
