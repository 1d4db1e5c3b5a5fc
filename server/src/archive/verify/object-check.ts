import type { ReadAt } from '@vidette/media/fmp4/scan';
import type { CatalogNotes, CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import {
  type ObjectKeys,
  ObjectReader,
  digestOf,
  factsOf,
  type ObjectStore,
  readRemoteMarker,
} from '../object-storage/object-storage.ts';
import type { Finding } from './finding.ts';
import { catalogMs, catalogTicks, scanSegmentContents } from '../segments/segments.ts';

/** The bucket to check. */
export interface ObjectStorageCheck {
  readonly store: ObjectStore;
  readonly keys: ObjectKeys;
  /** Whether every object is read completely. */
  readonly readsAll: boolean;
}

/** The catalog's rows of footage in object storage must be consistent (invariant 13). */
export function* checkRemoteNotes(
  reads: CatalogReads,
  notes: CatalogNotes,
): Generator<Finding, void, undefined> {
  for (const { uid, startTicks } of notes.remoteSendings()) {
    if (rowOf(reads, uid, startTicks)?.isRemote === true) {
      yield { invariant: 13, text: `${uid} ${startTicks} is remote although it is noted as being uploaded` };
    }
  }
  for (const { uid, startTicks } of notes.remoteRemovals(Number.MAX_SAFE_INTEGER)) {
    if (rowOf(reads, uid, startTicks)) {
      yield { invariant: 13, text: `${uid} ${startTicks} has a row although its object is to be deleted` };
    }
  }
}

/**
 * Verifies rows and objects against each other. With a running server an object may appear or disappear between
 * two reads, so every finding is checked twice. @throws ObjectStoreError
 */
export async function* checkObjects(
  reads: CatalogReads,
  notes: CatalogNotes,
  { store, keys, readsAll }: ObjectStorageCheck,
): AsyncGenerator<Finding, void, undefined> {
  const marker = await readRemoteMarker(store, keys);
  const { archiveId } = reads.identity();
  const isUsed = reads.totals().remoteSegments > 0;
  if (marker !== archiveId && (isUsed || marker !== undefined)) {
    yield {
      invariant: 16,
      text: `the marker ${keys.marker} of ${store.name} names ${marker ?? 'no archive'}`,
    };
    return;
  }
  const listed = new Map<string, number>();
  for await (const { key, bytes } of store.list(keys.root)) listed.set(key, bytes);
  for (const { id, uid } of reads.streams()) {
    for (const { startTicks } of reads.eachSegment(id, 0, Number.MAX_SAFE_INTEGER)) {
      const row = reads.segment(id, startTicks);
      if (row?.isRemote !== true) continue;
      const key = keys.of(uid, startTicks);
      const bytes = listed.get(key);
      listed.delete(key);
      for (const text of await checkObject(reads, { store, readsAll }, key, row, bytes)) {
        if (reads.segment(id, startTicks)) yield { invariant: 14, text: `${key} ${text}` };
      }
    }
  }
  listed.delete(keys.marker);
  for (const key of listed.keys()) {
    if (!isNoted(reads, notes, keys, key) && (await store.find(key))) {
      yield { invariant: 15, text: `${key} has no row` };
    }
  }
}

async function checkObject(
  reads: CatalogReads,
  { store, readsAll }: Pick<ObjectStorageCheck, 'store' | 'readsAll'>,
  key: string,
  row: SegmentRow,
  listedBytes: number | undefined,
): Promise<string[]> {
  if (listedBytes === row.bytes && !readsAll) return [];
  // One that moved after the list was made still exists.
  const object = await store.find(key);
  if (!object) return ['does not exist'];
  if (object.bytes !== row.bytes) return [`has ${object.bytes} of the ${row.bytes} bytes of its row`];
  if (!readsAll) return [];
  const facts = factsOf(object.metadata);
  if (!facts) return ['has no metadata written by Vidette'];
  const reader = new ObjectReader((offset, length) => readWhole(store, key, offset, length), row.bytes);
  if ((await digestOf(reader, row.bytes)) !== facts.sha256)
    return ['contains bytes other than were uploaded'];
  const readAt: ReadAt = (offset, length) =>
    reader.read(offset, Math.max(0, Math.min(length, row.bytes - offset)));
  const { init, fragments, startTicks, wholeBytes } = await scanSegmentContents(readAt, row.bytes);
  const known = reads.fragments(row, init.length);
  const isSame =
    startTicks === row.startTicks &&
    wholeBytes === row.bytes &&
    Buffer.compare(init, reads.init(row.initId)) === 0 &&
    fragments.length === known.length &&
    fragments.every(({ bytes, durationTicks }, index) => {
      const position = known[index];
      return position?.bytes === bytes && position.durationTicks === durationTicks;
    });
  return isSame ? [] : ['contains fragments other than its row says'];
}

/** @throws ObjectStoreError, or an Error if the object is missing or shorter */
export async function readWhole(
  store: ObjectStore,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const stream = await store.read(key, offset, length);
  if (!stream) throw new Error(`${key} does not exist`);
  const bytes = Buffer.concat((await stream.toArray()) as Buffer[]);
  if (bytes.length !== length) throw new Error(`${key} ends before ${offset + length}`);
  return bytes;
}

function isNoted(reads: CatalogReads, notes: CatalogNotes, keys: ObjectKeys, key: string): boolean {
  const segment = keys.parse(key);
  if (!segment) return false;
  const { uid, startMs } = segment;
  const isIt = (name: { readonly uid: string; readonly startTicks: number }) =>
    name.uid === uid && catalogMs(name.startTicks) === startMs;
  if (notes.remoteSendings().some(isIt) || notes.remoteRemovals(Number.MAX_SAFE_INTEGER).some(isIt))
    return true;
  const stream = reads.stream(uid);
  const row = stream && reads.segmentAtOrBefore(stream.id, catalogTicks(startMs + 1) - 1);
  return row !== undefined && row.isRemote && catalogMs(row.startTicks) === startMs;
}

function rowOf(reads: CatalogReads, uid: string, startTicks: number): SegmentRow | undefined {
  const stream = reads.stream(uid);
  return stream && reads.segment(stream.id, startTicks);
}
