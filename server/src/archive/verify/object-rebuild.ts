import type { CatalogReads, CatalogChange } from '../catalog/catalog.ts';
import { readWhole } from './object-check.ts';
import {
  type ObjectKeys,
  ObjectReader,
  factsOf,
  type ObjectSummary,
  type ObjectStore,
  readRemoteMarker,
} from '../object-storage/object-storage.ts';
import { type FragmentEntry, catalogMs, catalogTicks, scanSegmentContents } from '../segments/segments.ts';

interface ObjectRebuildTools {
  readonly store: ObjectStore;
  readonly keys: ObjectKeys;
  /** The new catalog, which already has the rows of all files. */
  readonly reads: CatalogReads;
  commit(changes: readonly CatalogChange[]): Promise<void> | void;
  readonly archiveId: string;
  /** Called for each skipped object, with the reason. */
  readonly findings: string[];
  /** Stops after the current object, because a bucket may contain millions. */
  readonly signal?: AbortSignal;
}

/**
 * Restores the rows of the objects in the bucket. If a file of the same segment exists, the file is used and
 * the object is noted as an upload in progress, to be compared with the file when that is moved. @throws
 * ObjectStoreError
 */
export async function adoptObjects(tools: ObjectRebuildTools): Promise<void> {
  const { store, keys, reads, archiveId, findings } = tools;
  const marker = await readRemoteMarker(store, keys);
  if (marker === undefined) return;
  if (marker !== archiveId) {
    findings.push(`${store.name} belongs to another archive at ${keys.root}`);
    return;
  }
  for await (const { key } of store.list(keys.root)) {
    if (tools.signal?.aborted === true) return;
    if (key === keys.marker) continue;
    const segment = keys.parse(key);
    const object = segment && (await store.find(key));
    if (!segment || !object) {
      findings.push(`${key} is not a segment`);
      continue;
    }
    const { uid, startMs } = segment;
    const known = reads.stream(uid);
    const row = known && reads.segmentAtOrBefore(known.id, catalogTicks(startMs + 1) - 1);
    if (row && catalogMs(row.startTicks) === startMs) {
      await tools.commit([{ type: 'far-sending', uid, startTicks: row.startTicks }]);
      continue;
    }
    const contents = await contentsOf(store, key, object);
    if (!contents || catalogMs(contents.startTicks) !== startMs) {
      findings.push(`${key} does not contain the complete segment that its name says`);
      continue;
    }
    const { startTicks, init, fragments } = contents;
    const endTicks = fragments.reduce((sum, { durationTicks }) => sum + durationTicks, startTicks);
    if (known && reads.segments(known.id, startTicks, endTicks, 1).length > 0) {
      findings.push(`${key} overlaps another segment`);
      continue;
    }
    await tools.commit([
      { type: 'segment', uid, startTicks, init, fragments, isFound: true },
      { type: 'close', uid, segmentStartTicks: startTicks },
      { type: 'far-found', uid, startTicks },
    ]);
  }
}

/** From its metadata with one small read, otherwise from all its headers; undefined if they don't cover it. */
async function contentsOf(
  store: ObjectStore,
  key: string,
  { bytes, metadata }: ObjectSummary,
): Promise<{ startTicks: number; init: Uint8Array; fragments: readonly FragmentEntry[] } | undefined> {
  const facts = factsOf(metadata);
  if (facts?.fragments && facts.fragments.length > 0 && facts.initBytes < bytes) {
    const { startTicks, initBytes, fragments } = facts;
    const sum = fragments.reduce((total, fragment) => total + fragment.bytes, initBytes);
    if (sum !== bytes) return undefined;
    return { startTicks, init: await readWhole(store, key, 0, initBytes), fragments };
  }
  const reader = new ObjectReader((offset, length) => readWhole(store, key, offset, length), bytes);
  const { startTicks, init, fragments, wholeBytes } = await scanSegmentContents(
    (offset, length) => reader.read(offset, Math.max(0, Math.min(length, bytes - offset))),
    bytes,
  );
  return startTicks === undefined || wholeBytes !== bytes ? undefined : { startTicks, init, fragments };
}
