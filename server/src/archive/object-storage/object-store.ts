import type { Readable } from 'node:stream';
import type { SegmentReader } from '../segments/segments.ts';

/** The store's information about an object. */
export interface ObjectSummary {
  readonly bytes: number;
  /** As uploaded; names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The store's own digest of what it received (see object-digest.ts); undefined when it gives none. */
  readonly etag?: string | undefined;
}

/** The kinds of store errors. */
export type ObjectStoreTrouble =
  /** It does not answer, or answers that it is unavailable. */
  | 'away'
  /** It refuses the request: keys, permissions, no such bucket. */
  | 'refused'
  /** The bucket belongs to another archive. */
  | 'foreign'
  /** It holds other contents than were uploaded. */
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
 * A store of objects by key, as far as the archive needs one. Every call ends within seconds of the store's silence.
 * All reject with ObjectStoreError.
 */
export interface ObjectStore {
  /** For users: bucket and address. */
  readonly name: string;
  /** Undefined when there is no such object. */
  find(key: string): Promise<ObjectSummary | undefined>;
  /** `length` bytes from `offset` on, as a stream; undefined when there is no such object. */
  read(key: string, offset: number, length: number): Promise<Readable | undefined>;
  /**
   * The first `bytes` of the file of `reader`, verified by the store against their digest; replaces an existing
   * object.
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
