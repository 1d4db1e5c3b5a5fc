import type { CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import {
  catalogMs,
  decodeSums,
  type IndexedPosition,
  readSegmentContents,
  segmentPath,
  type SegmentContents,
  spoiltFragments,
  systemCode,
} from '../segments/segments.ts';
import { type Finding, wordsOf } from './finding.ts';

/** A segment as in one snapshot of the catalog. */
interface KnownSegment {
  readonly row: SegmentRow;
  readonly init: Uint8Array;
  readonly fragments: readonly IndexedPosition[];
  readonly checksums: ReturnType<typeof decodeSums>;
}

/** A segment as in its file. */
interface FoundSegment {
  readonly contents: SegmentContents;
  /** Fragments whose bytes differ from those that were written, by index. */
  readonly spoilt: readonly number[];
}

/** Reports a violation of an invariant by the segment. */
type Find = (invariant: number, text: string) => void;

/**
 * Compares a segment's row with its index and, for a local one, with its file: invariants 1, 3, 5, 6, 7, 11 and
 * 17. Finds nothing if the row is deleted. The file is read after the row, so one that grows meanwhile is ahead
 * of its row.
 */
export async function checkSegment(
  reads: CatalogReads,
  root: string,
  stream: { readonly id: number; readonly uid: string },
  startTicks: number,
): Promise<Finding[]> {
  const path = segmentPath(root, stream.uid, startTicks);
  const findings: Finding[] = [];
  const find: Find = (invariant, text) => findings.push({ invariant, text: `${path} ${text}` });
  const known = knownSegment(reads, stream.id, startTicks, find);
  if (!known) return findings;
  compareIndex(known, find);
  if (known.row.isRemote) return findings;
  const isRemoteNow = () => reads.segment(stream.id, startTicks)?.isRemote === true;
  const found = await foundSegment(path, known, isRemoteNow, find);
  if (!found) return findings;
  compareFile(known, found.contents, find);
  compareFragments(known.fragments, found.contents, find);
  compareBytes(known.fragments, found.spoilt, find);
  return findings;
}

/** Undefined if there is no row, or if it cannot be read, which is a finding. */
function knownSegment(
  reads: CatalogReads,
  streamId: number,
  startTicks: number,
  find: Find,
): KnownSegment | undefined {
  try {
    return reads.snapshot(() => {
      const row = reads.segment(streamId, startTicks);
      if (!row) return undefined;
      const init = reads.init(row.initId);
      const fragments = reads.fragments(row, init.length);
      return { row, init, fragments, checksums: decodeSums(reads.fragmentSums(row), fragments.length) };
    });
  } catch (error) {
    find(11, `has a row or an index that cannot be read: ${wordsOf(error)}`);
    return undefined;
  }
}

/**
 * Undefined if the file cannot be read, which is a finding unless it was moved to object storage since its row
 * was read.
 */
async function foundSegment(
  path: string,
  { checksums }: KnownSegment,
  isRemoteNow: () => boolean,
  find: Find,
): Promise<FoundSegment | undefined> {
  try {
    return { contents: await readSegmentContents(path), spoilt: await spoiltFragments(path, checksums) };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') find(1, `cannot be read: ${wordsOf(error)}`);
    else if (!isRemoteNow()) find(1, 'does not exist');
    return undefined;
  }
}

function compareIndex({ row, fragments }: KnownSegment, find: Find): void {
  const last = fragments.at(-1);
  if (
    !last ||
    last.startTicks + last.durationTicks !== row.endTicks ||
    last.offset + last.bytes !== row.bytes
  ) {
    find(11, 'has an index that does not end where its row does');
  }
  if (fragments[0]?.startsWithKey !== true) find(5, 'does not start with a key frame');
}

function compareFile({ row, init }: KnownSegment, contents: SegmentContents, find: Find): void {
  if (contents.fileBytes < row.bytes)
    find(1, `has ${contents.fileBytes} of the ${row.bytes} bytes of its row`);
  if (!row.isOpen && contents.fileBytes > row.bytes)
    find(3, `continues for ${contents.fileBytes - row.bytes} bytes after the end in its row`);
  if (contents.wholeBytes < row.bytes)
    find(11, `is intact up to ${contents.wholeBytes} of ${row.bytes} bytes: ${contents.damage}`);
  if (Buffer.compare(init, contents.init) !== 0)
    find(7, 'starts with an ftyp and moov other than those of its row');
  if (contents.startTicks !== row.startTicks)
    find(6, `starts at ${contents.startTicks}, but at ${row.startTicks} according to its row`);
}

function compareFragments(
  fragments: readonly IndexedPosition[],
  contents: SegmentContents,
  find: Find,
): void {
  fragments.forEach((fragment, index) => {
    const found = contents.fragments[index];
    if (!found || found.bytes !== fragment.bytes || found.startsWithKey !== fragment.startsWithKey) {
      find(11, `contains a fragment ${index} other than its row says`);
    } else if (found.durationTicks !== fragment.durationTicks) {
      find(
        5,
        `has a fragment ${index} of ${found.durationTicks} ticks, but of ${fragment.durationTicks} according to its row`,
      );
    }
  });
}

function compareBytes(fragments: readonly IndexedPosition[], spoilt: readonly number[], find: Find): void {
  for (const index of spoilt) {
    const fragment = fragments[index];
    // Beyond the end in its row, a file may still be written.
    if (!fragment) break;
    const from = new Date(catalogMs(fragment.startTicks)).toISOString();
    find(
      17,
      `contains bytes other than were written in fragment ${index} (${fragment.bytes} bytes, from ${from})`,
    );
  }
}
