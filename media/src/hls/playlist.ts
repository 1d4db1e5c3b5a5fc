/**
 * HLS media playlists as text: RFC 8216bis (draft-pantos-hls-rfc8216bis). This file contains the tags that
 * recordings and live streams share and the playlist of a recording; `live-playlist.ts` and `multivariant.ts`
 * build on it.
 */

/** Bytes of a resource that make up a segment: section 4.4.4.2. */
export interface PlaylistByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The initialisation segment: EXT-X-MAP, section 4.4.4.5. */
export interface PlaylistMap {
  readonly uri: string;
  readonly byteRange?: PlaylistByteRange;
}

export interface PlaylistSegment {
  readonly uri: string;
  readonly byteRange?: PlaylistByteRange;
  readonly map: PlaylistMap;
  readonly durationSeconds: number;
  /**
   * Wall-clock time of its first sample, milliseconds since the epoch: EXT-X-PROGRAM-DATE-TIME, section
   * 4.4.4.6.
   */
  readonly startMs: number;
  /**
   * The time or parameters do not continue those of the previous segment: EXT-X-DISCONTINUITY, section 4.4.4.3.
   */
  readonly isDiscontinuity: boolean;
}

/** Version 7: EXT-X-MAP in playlists of media segments, with fractional seconds and byte ranges (section 8). */
const VOD_VERSION = 7;

/**
 * The lines before the first segment of a recording's playlist.
 * @param targetDurationSeconds the longest segment, or more; written as an integer (section 4.4.3.1)
 */
export function vodPlaylistHead(targetDurationSeconds: number): string {
  return lines([
    '#EXTM3U',
    `#EXT-X-VERSION:${VOD_VERSION}`,
    `#EXT-X-TARGETDURATION:${wholeTargetSeconds(targetDurationSeconds)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
  ]);
}

/** The line after the last segment: nothing follows. Section 4.4.3.4. */
export const PLAYLIST_END = '#EXT-X-ENDLIST\n';

/**
 * The lines of one segment. Long playlists are written in parts: header, each segment, end.
 * @param previous the previous segment, `undefined` for the first; tags that still apply are not repeated
 */
export function segmentLines(segment: PlaylistSegment, previous: PlaylistSegment | undefined): string {
  const isBreak = previous === undefined || segment.isDiscontinuity;
  return lines([
    ...(segment.isDiscontinuity && previous !== undefined ? ['#EXT-X-DISCONTINUITY'] : []),
    ...(previous === undefined || !isSameMap(segment.map, previous.map) ? [mapTag(segment.map)] : []),
    ...(isBreak ? [programDateTimeTag(segment.startMs)] : []),
    `#EXTINF:${decimalSeconds(segment.durationSeconds)},`,
    ...(segment.byteRange ? [`#EXT-X-BYTERANGE:${byteRangeText(segment.byteRange)}`] : []),
    uriLine(segment.uri),
  ]);
}

/** A complete playlist of a recording. Without segments it is a valid playlist that has ended. */
export function vodPlaylist(segments: readonly PlaylistSegment[]): string {
  const longest = segments.reduce((max, { durationSeconds }) => Math.max(max, durationSeconds), 0);
  const body = segments.map((segment, index) => segmentLines(segment, segments[index - 1]));
  return vodPlaylistHead(longest) + body.join('') + PLAYLIST_END;
}

/**
 * EXT-X-TARGETDURATION: no segment, rounded, may exceed it; at least 1 so that reload intervals stay
 * reasonable.
 */
export function wholeTargetSeconds(longestSeconds: number): number {
  return Math.max(1, Math.ceil(longestSeconds));
}

export function mapTag(map: PlaylistMap): string {
  const range = map.byteRange ? `,BYTERANGE="${byteRangeText(map.byteRange)}"` : '';
  return `#EXT-X-MAP:URI=${quoted(map.uri)}${range}`;
}

export function programDateTimeTag(startMs: number): string {
  return `#EXT-X-PROGRAM-DATE-TIME:${new Date(startMs).toISOString()}`;
}

export function isSameMap(a: PlaylistMap, b: PlaylistMap): boolean {
  return (
    a.uri === b.uri &&
    a.byteRange?.offset === b.byteRange?.offset &&
    a.byteRange?.length === b.byteRange?.length
  );
}

export function byteRangeText({ length, offset }: PlaylistByteRange): string {
  return `${length}@${offset}`;
}

/**
 * A decimal-floating-point number in microseconds, precise enough for players that add up thousands of them
 * (section 4.2).
 */
export function decimalSeconds(seconds: number): string {
  return seconds.toFixed(6).replace(/0{1,3}$/, '');
}

/** A quoted-string cannot contain quotes or line ends (section 4.2). @throws RangeError for one that does */
export function quoted(value: string): string {
  if (/["\r\n]/.test(value)) throw new RangeError('quote or line end in an attribute of a playlist');
  return `"${value}"`;
}

/** A line that is a URI. @throws RangeError for one that would be read as another line, or none */
export function uriLine(uri: string): string {
  if (uri === '' || uri.startsWith('#') || /[\r\n]/.test(uri)) throw new RangeError('not a line with a URI');
  return uri;
}

export function lines(list: readonly string[]): string {
  return list.map((line) => `${line}\n`).join('');
}
