import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  openCatalogForReading,
  CatalogNotes,
  CatalogReads,
  type SegmentRow,
  type CatalogStreamRow,
} from '../catalog/catalog.ts';
import { checkRemoteNotes, checkObjects, type ObjectStorageCheck } from './object-check.ts';
import {
  namesIn,
  catalogMs,
  catalogPath,
  catalogTicks,
  dayFolder,
  isDay,
  placeOf,
  segmentPath,
  startMsOf,
  listStreamFolders,
  readMarker,
} from '../segments/segments.ts';
import { type Finding, wordsOf } from './finding.ts';
import { checkSegment } from './segment-check.ts';

/** The archive's folder and catalog, which are only read. */
interface CheckedArchive {
  readonly root: string;
  readonly reads: CatalogReads;
  readonly notes: CatalogNotes;
}

/** Segments read per catalog query. */
const batchSize = 500;

/**
 * Verifies the archive's invariants against every row and the headers of every file, and changes nothing. Rows
 * are read first: with a running server, later footage is not checked, so nothing is reported merely because it
 * is new. For footage in object storage only the rows are checked, unless its bucket is given. @throws Error if
 * there is no catalog; ObjectStoreError
 */
export async function* checkArchive(
  root: string,
  catalog = catalogPath(root),
  remote?: ObjectStorageCheck,
): AsyncGenerator<Finding, void, undefined> {
  const database = openCatalogForReading(catalog);
  try {
    const reads = new CatalogReads(database);
    const notes = new CatalogNotes(database);
    const archive = { root, reads, notes };
    yield* goingOn('the marker', 10, checkMarker(reads, root));
    yield* goingOn('the pending deletions of the catalog', 9, checkRemovals(archive));
    const uids = new Set<string>();
    yield* goingOn('the streams of the catalog', 11, checkStreams(archive, uids));
    yield* goingOn(root, 2, checkUnknownFolders(root, uids));
    yield* goingOn('the notes about objects', 11, checkRemoteNotes(reads, notes));
    if (remote) yield* checkObjects(reads, notes, remote);
  } finally {
    database.close();
  }
}

/** Unreadable data that fails one part of the check is a finding of its own, and the next part runs. */
async function* goingOn(
  part: string,
  invariant: number,
  findings: AsyncIterable<Finding> | Iterable<Finding>,
): AsyncGenerator<Finding, void, undefined> {
  try {
    yield* findings;
  } catch (error) {
    yield { invariant, text: `${part} could not be read completely: ${wordsOf(error)}` };
  }
}

async function* checkStreams(
  archive: CheckedArchive,
  uids: Set<string>,
): AsyncGenerator<Finding, void, undefined> {
  for (const stream of archive.reads.streams()) {
    uids.add(stream.uid);
    yield* goingOn(`the stream ${stream.uid}`, 11, checkStream(archive, stream));
  }
}

async function* checkMarker(reads: CatalogReads, root: string): AsyncGenerator<Finding, void, undefined> {
  const marker = await readMarker(root);
  const { archiveId } = reads.identity();
  if (marker.state !== 'present') yield { invariant: 10, text: `the marker in ${root} is ${marker.state}` };
  else if (marker.archiveId !== archiveId) {
    yield {
      invariant: 10,
      text: `the marker in ${root} names archive ${marker.archiveId}, the catalog belongs to ${archiveId}`,
    };
  }
}

function* checkRemovals({ reads, notes }: CheckedArchive): Generator<Finding, void, undefined> {
  for (const { uid, startTicks } of notes.pendingRemovals()) {
    const stream = reads.stream(uid);
    const row = stream && reads.segment(stream.id, startTicks);
    if (row && !row.isRemote) {
      yield { invariant: 9, text: `${uid} ${startTicks} has a row although its deletion is pending` };
    }
  }
}

/**
 * With a running server a row may disappear, or its file grow, between two reads, so every finding is checked
 * twice.
 */
async function* checkStream(
  archive: CheckedArchive,
  stream: CatalogStreamRow,
): AsyncGenerator<Finding, void, undefined> {
  const { root, reads } = archive;
  const names = new Map<string, Set<string>>();
  let previous: SegmentRow | undefined;
  let at = 0;
  for (;;) {
    const batch = reads.segments(stream.id, at, Number.MAX_SAFE_INTEGER, batchSize);
    for (const row of batch) {
      if (previous && row.startTicks < previous.endTicks) {
        yield {
          invariant: 4,
          text: `${segmentPath(root, stream.uid, row.startTicks)} overlaps the segment before it`,
        };
      }
      previous = row;
      const { day, name } = placeOf(row.startTicks);
      if (!row.isRemote) names.set(day, (names.get(day) ?? new Set()).add(name));
      for (const finding of await checkSegment(reads, root, stream, row.startTicks)) {
        if (reads.segment(stream.id, row.startTicks)) yield finding;
      }
    }
    const last = batch.at(-1);
    if (!last || batch.length < batchSize) break;
    at = last.endTicks;
  }
  yield* goingOn(`the totals of ${stream.uid}`, 8, checkTotals(reads, stream.uid));
  yield* checkFiles(archive, stream, names);
}

function* checkTotals(reads: CatalogReads, uid: string): Generator<Finding, void, undefined> {
  const difference = reads.snapshot(() => {
    const stream = reads.stream(uid);
    if (!stream) return undefined;
    const sum = { segments: 0, bytes: 0, durationTicks: 0, remoteSegments: 0, farBytes: 0 };
    for (const row of reads.eachSegment(stream.id, 0, Number.MAX_SAFE_INTEGER)) {
      sum.segments++;
      sum.bytes += row.bytes;
      sum.durationTicks += row.endTicks - row.startTicks;
      if (!row.isRemote) continue;
      sum.remoteSegments++;
      sum.farBytes += row.bytes;
    }
    const isRight =
      sum.segments === stream.segments &&
      sum.bytes === stream.bytes &&
      sum.durationTicks === stream.durationTicks &&
      sum.remoteSegments === stream.remoteSegments &&
      sum.farBytes === stream.farBytes;
    return isRight ? undefined : { sum, stream };
  });
  if (!difference) return;
  const { sum, stream } = difference;
  yield {
    invariant: 8,
    text:
      `${uid} has ${sum.segments} segments of ${sum.bytes} bytes and ${sum.durationTicks} ticks, ` +
      `its totals are ${stream.segments}, ${stream.bytes} and ${stream.durationTicks};  ` +
      `${sum.remoteSegments} of ${sum.farBytes} bytes are remote, its totals are ${stream.remoteSegments} of ${stream.farBytes}`,
  };
}

/** Files without a row. `names`: by day, from the rows. */
async function* checkFiles(
  { root, reads, notes }: CheckedArchive,
  stream: CatalogStreamRow,
  names: ReadonlyMap<string, ReadonlySet<string>>,
): AsyncGenerator<Finding, void, undefined> {
  const active = new Set(notes.activeFolders().map(({ uid, day }) => `${uid} ${day}`));
  const pending = new Set(
    notes.pendingRemovals().map(({ uid, startTicks }) => segmentPath(root, uid, startTicks)),
  );
  const unread: Finding[] = [];
  for (const day of await namesOr(unread, join(root, stream.uid))) {
    const folder = join(root, stream.uid, day);
    if (!isDay(day)) {
      yield { invariant: 2, text: `${folder} is not a day folder of this archive` };
      continue;
    }
    // A running server creates files there before their rows.
    if (active.has(`${stream.uid} ${day}`)) continue;
    for (const name of await namesOr(unread, dayFolder(root, stream.uid, day))) {
      const path = join(folder, name);
      if (names.get(day)?.has(name) === true || pending.has(path)) continue;
      const startMs = startMsOf(day, name);
      const row =
        startMs === undefined ? undefined : reads.segmentAtOrBefore(stream.id, catalogTicks(startMs + 1) - 1);
      const isKnown = row !== undefined && catalogMs(row.startTicks) === startMs;
      if (isKnown && !row.isRemote) continue;
      if (isKnown && isPending(notes, stream.uid, row.startTicks)) continue;
      // Deleted since the folder was listed, by the pending deletion.
      if (!existsSync(path)) continue;
      yield isKnown
        ? { invariant: 12, text: `${path} exists although its row is remote` }
        : { invariant: 2, text: `${path} has no row` };
    }
  }
  yield* unread;
}

async function namesOr(unread: Finding[], folder: string): Promise<string[]> {
  try {
    return await namesIn(folder);
  } catch (error) {
    unread.push({ invariant: 2, text: `${folder} cannot be listed: ${wordsOf(error)}` });
    return [];
  }
}

function isPending(notes: CatalogNotes, uid: string, startTicks: number): boolean {
  return notes.pendingRemovals().some((name) => name.uid === uid && name.startTicks === startTicks);
}

async function* checkUnknownFolders(
  root: string,
  uids: ReadonlySet<string>,
): AsyncGenerator<Finding, void, undefined> {
  for (const uid of await listStreamFolders(root)) {
    if (!uids.has(uid))
      yield { invariant: 2, text: `${join(root, uid)} belongs to no stream of the catalog` };
  }
}
