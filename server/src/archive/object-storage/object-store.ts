import type { Readable } from 'node:stream';
import type { SegmentReader } from '../segments/segments.ts';

/** Information that the store has about an object. */
export interface ObjectSummary {
  readonly bytes: number;
  /** As uploaded; names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The store's own digest of the received bytes (see object-digest.ts); undefined if it reports none. */
  readonly etag?: string | undefined;
}

/** The kinds of store errors. */
export type ObjectStoreTrouble =
  /** It does not respond, or responds that it is unavailable. */
  | 'away'
  /** It rejects the request: access key, permissions, no such bucket. */
  | 'refused'
  /** The bucket belongs to another archive. */
  | 'foreign'
  /** Its contents differ from what was uploaded. */
  | 'damaged';

/** A failed request to the store; a missing object is not an error. */
export class ObjectStoreError extends Error {
  override readonly name = 'FarStoreError';
  readonly trouble: ObjectStoreTrouble;

  constructor(trouble: ObjectStoreTrouble, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.trouble = trouble;
  }
}

/**
 * A key-value store of objects, reduced to what the archive needs. Every call ends within seconds if the store
 * stops responding. All reject with ObjectStoreError.
 */
export interface ObjectStore {
  /** As shown to users: bucket and address. */
  readonly name: string;
  /** Undefined if there is no such object. */
  find(key: string): Promise<ObjectSummary | undefined>;
  /** `length` bytes from `offset` on, as a stream; undefined when there is no such object. */
  read(key: string, offset: number, length: number): Promise<Readable | undefined>;
  /**
   * Uploads the first `bytes` of the file of `reader`, which the store verifies against their digest; replaces
   * an existing object.
   */
  send(
    key: string,
    reader: Pick<SegmentReader, 'read'>,
    bytes: number,
    metadata: Record<string, string>,
  ): Promise<void>;
  /** Missing objects are not an error. */
  remove(keys: readonly string[]): Promise<void>;
  /** All objects whose key has this prefix, ordered by key. */
  list(prefix: string): AsyncGenerator<{ readonly key: string; readonly bytes: number }, void, undefined>;
  /** Aborts unfinished uploads under these keys. */
  abandonSending(prefix: string): Promise<void>;
  close(): void;
}
