import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ObjectKeys } from './object-keys.ts';
import {
  ObjectStoreError,
  type ObjectSummary,
  type ObjectStore,
  type ObjectStoreTrouble,
} from './object-store.ts';
import type { ObjectStorageOptions } from './object-storage.ts';
import type { SegmentReader } from './file-bytes.ts';

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly metadata: Record<string, string>;
}

/** An operation of a store; tests can make any of them fail. */
export interface StoreStep {
  readonly name: 'find' | 'read' | 'send' | 'remove' | 'list' | 'abandon';
  readonly key: string;
}

/**
 * An in-memory object store: tests the order of the archive's operations, and the effects when one fails. The
 * behaviour of a real store is tested against a server that speaks the protocol (e2e/s3-tier.test.ts).
 */
export class MemoryStore implements ObjectStore {
  readonly name = 'a store in memory';
  readonly objects = new Map<string, StoredObject>();
  readonly steps: StoreStep[] = [];
  /** Its ETag is the MD5 of the stored bytes. */
  givesEtags = true;
  /** Total bytes read. */
  readBytes = 0;
  /** Called before each operation, and after it with `done`; the operation rejects with what it throws. */
  fault: (step: StoreStep, done: boolean) => void | Promise<void> = () => {};

  find(key: string): Promise<ObjectSummary | undefined> {
    return this.#step('find', key, () => {
      const object = this.objects.get(key);
      const etag = object && `"${createHash('md5').update(object.bytes).digest('hex')}"`;
      return (
        object && {
          bytes: object.bytes.length,
          metadata: object.metadata,
          etag: this.givesEtags ? etag : undefined,
        }
      );
    });
  }

  read(key: string, offset: number, length: number): Promise<Readable | undefined> {
    return this.#step('read', key, () => {
      const bytes = this.objects.get(key)?.bytes.subarray(offset, offset + length);
      this.readBytes += bytes?.length ?? 0;
      return bytes && Readable.from([Buffer.from(bytes)], { objectMode: false });
    });
  }

  async send(
    key: string,
    reader: Pick<SegmentReader, 'read'>,
    length: number,
    metadata: Record<string, string>,
  ): Promise<void> {
    const bytes = await reader.read(0, length);
    return this.#step('send', key, () => void this.objects.set(key, { bytes: Buffer.from(bytes), metadata }));
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#step('remove', key, () => void this.objects.delete(key));
  }

  async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly bytes: number }> {
    await this.#step('list', prefix, () => {});
    for (const [key, { bytes }] of [...this.objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (key.startsWith(prefix)) yield { key, bytes: bytes.length };
    }
  }

  abandonSending(prefix: string): Promise<void> {
    return this.#step('abandon', prefix, () => {});
  }

  close(): void {}

  /** A copy of its current contents, without faults. */
  copy(): MemoryStore {
    const copy = new MemoryStore();
    for (const [key, object] of this.objects) copy.objects.set(key, object);
    return copy;
  }

  /** Segments, without the marker. */
  get keys(): string[] {
    return [...this.objects.keys()].filter((key) => key.endsWith('.mp4')).sort();
  }

  async #step<T>(name: StoreStep['name'], key: string, run: () => T): Promise<T> {
    const step = { name, key };
    await this.fault(step, false);
    this.steps.push(step);
    const result = run();
    await this.fault(step, true);
    return result;
  }
}

/** Options to open an archive with such a store. */
export function remoteOf(store: ObjectStore, node = 'main'): { remote: ObjectStorageOptions } {
  return { remote: { store, keys: new ObjectKeys('', node), atOnce: 2 } };
}

export function trouble(kind: ObjectStoreTrouble): ObjectStoreError {
  return new ObjectStoreError(kind, `the store is ${kind}`);
}
