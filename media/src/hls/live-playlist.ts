/** The media playlist of a live stream with low latency: RFC 8216bis sections 4.4.3.7, 4.4.3.8, 4.4.4.9, 4.4.5.2, 4.4.5.3. */
import {
  byteRangeText,
  decimalSeconds,
  isSameMap,
  lines,
  mapTag,
  PLAYLIST_END,
  programDateTimeTag,
  quoted,
  uriLine,
  wholeTargetSeconds,
} from './playlist.ts';
import type { PlaylistByteRange, PlaylistMap } from './playlist.ts';

/** EXT-X-PART: section 4.4.4.9. */
export interface PlaylistPart {
  readonly uri: string;
  readonly byteRange?: PlaylistByteRange;
  readonly durationSeconds: number;
  /** Whether it begins with a key frame. */
  readonly isIndependent: boolean;
}

export interface LiveSegment {
  readonly uri: string;
  readonly map: PlaylistMap;
  readonly durationSeconds: number;
  /** Wall-clock time of its first sample, milliseconds since the epoch. */
  readonly startMs: number;
  /** The time or parameters do not continue those of the previous segment. */
  readonly isDiscontinuity: boolean;
  /** Empty for segments more than three target durations from the end: their parts may be omitted. */
  readonly parts: readonly PlaylistPart[];
}

/** The segment that is being produced: its parts so far. */
interface GrowingPlaylistSegment {
  readonly map: PlaylistMap;
  readonly startMs: number;
  readonly isDiscontinuity: boolean;
  readonly parts: readonly PlaylistPart[];
}

export interface LivePlaylist {
  /** The longest segment in any version of the playlist, because it must not change. */
  readonly targetDurationSeconds: number;
  /** The longest part. */
  readonly partTargetSeconds: number;
  /** Media sequence number of the first segment given here. */
  readonly mediaSequence: number;
  /** Number of discontinuities among the segments that have left the playlist. */
  readonly discontinuitySequence: number;
  readonly segments: readonly LiveSegment[];
  readonly open?: GrowingPlaylistSegment;
  /** The next part, which may already be requested: EXT-X-PRELOAD-HINT, section 4.4.5.3. */
  readonly preloadHint?: { readonly uri: string };
  /** The stream has ended: no more segments. */
  readonly hasEnded: boolean;
  /**
   * Response to `_HLS_skip`: this many segments from the start are replaced by EXT-X-SKIP (section 4.4.5.2).
   */
  readonly skippedSegments?: number;
}

/** Version 9 adds EXT-X-SKIP (section 8). */
const LIVE_VERSION = 9;
/** Section 4.4.3.8: at least three parts; at least three target durations; at least six of them. */
const PART_HOLD_BACK_PARTS = 3;
/** However short the parts are, players on a busy machine or network stall closer to the newest one, seconds. */
const LEAST_PART_HOLD_BACK_S = 1.35;
const HOLD_BACK_TARGETS = 3;
const SKIP_UNTIL_TARGETS = 6;

/**
 * How many segments from the start a delta update may omit: those entirely before the skip boundary. Section
 * 6.2.5.1.
 */
export function skippableSegments(segments: readonly LiveSegment[], targetDurationSeconds: number): number {
  const boundary = SKIP_UNTIL_TARGETS * wholeTargetSeconds(targetDurationSeconds);
  let fromEnd = 0;
  let index = segments.length;
  while (index > 0 && fromEnd < boundary) {
    index--;
    fromEnd += segments[index]?.durationSeconds ?? 0;
  }
  return index;
}

/** The text of the playlist. @throws RangeError if a URI is not allowed in it */
export function livePlaylist(playlist: LivePlaylist): string {
  const target = wholeTargetSeconds(playlist.targetDurationSeconds);
  const skipped = playlist.skippedSegments ?? 0;
  const head = [
    '#EXTM3U',
    `#EXT-X-VERSION:${LIVE_VERSION}`,
    `#EXT-X-TARGETDURATION:${target}`,
    `#EXT-X-SERVER-CONTROL:${[
      'CAN-BLOCK-RELOAD=YES',
      `CAN-SKIP-UNTIL=${decimalSeconds(SKIP_UNTIL_TARGETS * target)}`,
      `HOLD-BACK=${decimalSeconds(HOLD_BACK_TARGETS * target)}`,
      `PART-HOLD-BACK=${decimalSeconds(Math.max(LEAST_PART_HOLD_BACK_S, PART_HOLD_BACK_PARTS * playlist.partTargetSeconds))}`,
    ].join(',')}`,
    `#EXT-X-PART-INF:PART-TARGET=${decimalSeconds(playlist.partTargetSeconds)}`,
    `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(skipped > 0 ? [`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`] : []),
  ];
  const body = playlist.segments.flatMap((segment, index) =>
    index < skipped
      ? []
      : [
          ...opening(segment, playlist.segments[index - 1]),
          ...segment.parts.map(partTag),
          `#EXTINF:${decimalSeconds(segment.durationSeconds)},`,
          uriLine(segment.uri),
        ],
  );
  const open = playlist.open
    ? [...opening(playlist.open, playlist.segments.at(-1)), ...playlist.open.parts.map(partTag)]
    : [];
  const hint =
    playlist.preloadHint && !playlist.hasEnded
      ? [`#EXT-X-PRELOAD-HINT:TYPE=PART,URI=${quoted(playlist.preloadHint.uri)}`]
      : [];
  return lines([...head, ...body, ...open, ...hint]) + (playlist.hasEnded ? PLAYLIST_END : '');
}

type Opening = Pick<LiveSegment, 'map' | 'startMs' | 'isDiscontinuity'>;

/**
 * The lines before the first part of a segment. Each segment has its date, so that a player may join anywhere.
 */
function opening(segment: Opening, previous: Opening | undefined): string[] {
  return [
    ...(segment.isDiscontinuity ? ['#EXT-X-DISCONTINUITY'] : []),
    ...(previous === undefined || !isSameMap(segment.map, previous.map) ? [mapTag(segment.map)] : []),
    programDateTimeTag(segment.startMs),
  ];
}

function partTag(part: PlaylistPart): string {
  return `#EXT-X-PART:${[
    `DURATION=${decimalSeconds(part.durationSeconds)}`,
    `URI=${quoted(part.uri)}`,
    ...(part.byteRange ? [`BYTERANGE="${byteRangeText(part.byteRange)}"`] : []),
    ...(part.isIndependent ? ['INDEPENDENT=YES'] : []),
  ].join(',')}`;
}
