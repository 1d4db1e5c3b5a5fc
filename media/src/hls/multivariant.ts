/**
 * The multivariant playlist, which lists the media playlists of one presentation: RFC 8216bis section 4.4.6.
 */
import type { Track } from '../track.ts';
import { lines, quoted, uriLine } from './playlist.ts';

export interface Variant {
  readonly uri: string;
  /** The highest bit rate of any segment, bits per second: BANDWIDTH, which is mandatory. */
  readonly peakBitsPerSecond: number;
  readonly averageBitsPerSecond?: number;
  /** Its tracks, from which CODECS and RESOLUTION are derived. */
  readonly tracks: readonly Track[];
  readonly framesPerSecond?: number;
}

const VERSION = 7;

/** The text of the playlist. @throws RangeError if a URI is not allowed in it */
export function multivariantPlaylist(variants: readonly Variant[]): string {
  return lines([
    '#EXTM3U',
    `#EXT-X-VERSION:${VERSION}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...variants.flatMap((variant) => [streamInfTag(variant), uriLine(variant.uri)]),
  ]);
}

/** EXT-X-STREAM-INF: section 4.4.6.2. */
function streamInfTag(variant: Variant): string {
  const video = variant.tracks.find((track) => track.kind === 'video');
  return `#EXT-X-STREAM-INF:${[
    `BANDWIDTH=${Math.max(1, Math.ceil(variant.peakBitsPerSecond))}`,
    ...(variant.averageBitsPerSecond === undefined
      ? []
      : [`AVERAGE-BANDWIDTH=${Math.max(1, Math.ceil(variant.averageBitsPerSecond))}`]),
    `CODECS=${quoted(variant.tracks.map((track) => track.codecString).join(','))}`,
    ...(video ? [`RESOLUTION=${video.width}x${video.height}`] : []),
    ...(variant.framesPerSecond === undefined ? [] : [`FRAME-RATE=${variant.framesPerSecond.toFixed(3)}`]),
  ].join(',')}`;
}
