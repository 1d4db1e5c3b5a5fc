import type { Readable } from 'node:stream';
import type { SegmentReader } from './file-bytes.ts';

/** What the store knows of an object. */
export interface ObjectSummary {
  readonly bytes: number;
  /** As given with it; names in small letters. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The store's own digest of what it received (see far-digest.ts); undefined when it gives none. */
  readonly etag?: string | undefined;
}

/** What went wrong between this node and the store. */
export type ObjectStoreTrouble =
  /** It does not answer, or answers that it can't now. */
  | 'away'
  /** It answers and refuses: keys, rights, no such bucket. */
  | 'refused'
  /** The bucket is of another archive. */
  | 'foreign'
  /** It holds something else than was sent. */
  | 'damaged';

/** A request to the store that failed; an object that is not there is none. */
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
  /** For people: which bucket at which address. */
  readonly name: string;
  /** Undefined when there is no such object. */
  find(key: string): Promise<ObjectSummary | undefined>;
  /** `length` bytes from `offset` on, as they come; undefined when there is no such object. */
  read(key: string, offset: number, length: number): Promise<Readable | undefined>;
  /** The first `bytes` of the file of `reader`, checked by the store against their digest; replaces what is there. */
  send(
    key: string,
    reader: Pick<SegmentReader, 'read'>,
    bytes: number,
    metadata: Record<string, string>,
  ): Promise<void>;
  /** Those that are not there are no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** All objects whose key begins so, by key. */
  list(prefix: string): AsyncGenerator<{ readonly key: string; readonly bytes: number }, void, undefined>;
  /** What was begun and never finished under these keys is thrown away. */
  abandonSending(prefix: string): Promise<void>;
  close(): void;
}
