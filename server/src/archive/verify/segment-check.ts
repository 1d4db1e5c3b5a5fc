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

/** A segment as the catalog knows it, of one snapshot. */
interface KnownSegment {
  readonly row: SegmentRow;
  readonly init: Uint8Array;
  readonly fragments: readonly IndexedPosition[];
  readonly checksums: ReturnType<typeof decodeSums>;
}

/** A segment as its file has it. */
interface FoundSegment {
  readonly contents: SegmentContents;
  /** Fragments whose bytes are not those that were written, by index. */
  readonly spoilt: readonly number[];
}

/** Notes a violation of an invariant by the segment. */
type Find = (invariant: number, text: string) => void;

/**
 * Compares a segment's row with its index and, for a local one, with its file: invariants 1, 3, 5, 6, 7, 11 and 17. Finds nothing
 * when the row is gone. The file is read after the row: one that grows meanwhile is ahead of its row.
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

/** Undefined when there is no row, and when it can't be read, which is a finding. */
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

/** Undefined when the file can't be read, which is a finding unless it was moved to object storage since its row was read. */
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
    else if (!isRemoteNow()) find(1, 'is not there');
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
    find(3, `goes on ${contents.fileBytes - row.bytes} bytes behind its row`);
  if (contents.wholeBytes < row.bytes)
    find(11, `is whole up to ${contents.wholeBytes} of ${row.bytes} bytes: ${contents.damage}`);
  if (Buffer.compare(init, contents.init) !== 0)
    find(7, 'starts with another ftyp and moov than its row names');
  if (contents.startTicks !== row.startTicks)
    find(6, `starts at ${contents.startTicks}, its row at ${row.startTicks}`);
}

function compareFragments(
  fragments: readonly IndexedPosition[],
  contents: SegmentContents,
  find: Find,
): void {
  fragments.forEach((fragment, index) => {
    const found = contents.fragments[index];
    if (!found || found.bytes !== fragment.bytes || found.startsWithKey !== fragment.startsWithKey) {
      find(11, `holds another fragment ${index} than its row says`);
    } else if (found.durationTicks !== fragment.durationTicks) {
      find(
        5,
        `has a fragment ${index} of ${found.durationTicks} ticks, by its row of ${fragment.durationTicks}`,
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
      `holds other bytes than were written in fragment ${index} (${fragment.bytes} bytes, from ${from})`,
    );
  }
}
