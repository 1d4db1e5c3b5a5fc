import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  PLAYLIST_END,
  segmentLines,
  vodPlaylistHead,
  type PlaylistSegment,
} from '@vidette/media/hls/playlist';
import type { SegmentRow, CatalogStreamRow } from '../catalog/catalog.ts';
import type { PlaybackCatalog } from './playback-catalog.ts';
import { type IndexedPosition, CATALOG_TIMESCALE, catalogMs, catalogTicks } from '../segments/segments.ts';
import { JOIN_TICKS } from './intervals.ts';

/** Longer playlists use longer entries. */
const entriesMax = 10_000;
/** Files per turn of the event loop: a week has ten thousand. */
const segmentsPerTurn = 100;

/** The name of a segment in URIs: its start in catalog ticks, which is unique in its stream. */
function segmentUri(segment: SegmentRow): string {
  return `segment/${segment.startTicks}.mp4`;
}

/**
 * An HLS playlist of the footage between two times, from the key frame at or before the first one: byte ranges
 * of the segments' files, as far as they are flushed. URIs are relative to the folder of the playlist.
 * @param uriOf the URI of a segment's file, relative to the folder of the playlist
 * @param entryMs minimum duration of an entry, unless its file ends
 */
export async function vodPlaylistOf(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  startMs: number,
  endMs: number,
  entryMs: number,
  uriOf: (segment: SegmentRow) => string = segmentUri,
): Promise<string> {
  const fromTicks = catalogTicks(startMs);
  const toTicks = catalogTicks(endMs);
  const leastTicks = catalogTicks(Math.max(entryMs, (endMs - startMs) / entriesMax));
  const text: string[] = [];
  let longestSeconds = 0;
  let previous: { readonly entry: PlaylistSegment; readonly endTicks: number } | undefined;
  let map: { readonly initId: number; readonly map: PlaylistSegment['map'] } | undefined;
  let at = fromTicks;
  for (;;) {
    const batch = readBatch(reads, stream, at, toTicks);
    for (const { segment, initBytes, fragments } of batch) {
      if (map?.initId !== segment.initId) {
        const byteRange = { offset: 0, length: initBytes };
        map = { initId: segment.initId, map: { uri: uriOf(segment), byteRange } };
      }
      for (const group of entriesOf(fragments, fromTicks, toTicks, leastTicks)) {
        const isBreak = previous && group.startTicks - previous.endTicks > JOIN_TICKS;
        const isOther = previous && previous.entry.map !== map.map;
        const entry: PlaylistSegment = {
          uri: uriOf(segment),
          byteRange: { offset: group.offset, length: group.bytes },
          map: map.map,
          durationSeconds: (group.endTicks - group.startTicks) / CATALOG_TIMESCALE,
          startMs: catalogMs(group.startTicks),
          isDiscontinuity: isBreak === true || isOther === true,
        };
        text.push(segmentLines(entry, previous?.entry));
        longestSeconds = Math.max(longestSeconds, entry.durationSeconds);
        previous = { entry, endTicks: group.endTicks };
      }
    }
    const last = batch.at(-1);
    if (!last || batch.length < segmentsPerTurn) break;
    at = last.segment.endTicks;
    await nextTurn();
  }
  return [vodPlaylistHead(longestSeconds), ...text, PLAYLIST_END].join('');
}

interface SegmentFragments {
  readonly segment: SegmentRow;
  readonly initBytes: number;
  readonly fragments: readonly IndexedPosition[];
}

function readBatch(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  fromTicks: number,
  toTicks: number,
): SegmentFragments[] {
  return reads.snapshot(() =>
    reads.segments(stream.id, fromTicks, toTicks, segmentsPerTurn).map((segment) => {
      const initBytes = reads.initLength(segment.initId);
      return { segment, initBytes, fragments: reads.fragments(segment, initBytes) };
    }),
  );
}

interface PlaylistEntry {
  readonly offset: number;
  bytes: number;
  readonly startTicks: number;
  endTicks: number;
}

/**
 * Fragments of one file in groups that begin with a key frame and last at least `leastTicks`, except the last
 * one. The first contains the key frame at or before `fromTicks`.
 */
function entriesOf(
  fragments: readonly IndexedPosition[],
  fromTicks: number,
  toTicks: number,
  leastTicks: number,
): PlaylistEntry[] {
  const first = fragments.findLastIndex(
    ({ startTicks, startsWithKey }, index) => index === 0 || (startsWithKey && startTicks <= fromTicks),
  );
  const entries: PlaylistEntry[] = [];
  for (const { startTicks, durationTicks, offset, bytes, startsWithKey } of fragments.slice(first)) {
    if (startTicks >= toTicks) break;
    const endTicks = startTicks + durationTicks;
    const open = entries.at(-1);
    if (open && (!startsWithKey || open.endTicks - open.startTicks < leastTicks)) {
      open.bytes += bytes;
      open.endTicks = endTicks;
    } else {
      entries.push({ offset, bytes, startTicks, endTicks });
    }
  }
  return entries;
}
