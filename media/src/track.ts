/**
 * The tracks of a stream and the parameters that a decoder needs before the first sample. A track is immutable;
 * when its parameters change, a new list of tracks begins (see the hub's generations).
 */

/** Codecs that the product stores and sends. Anything else is transcoded on input or rejected. */
export type VideoCodec = 'h264' | 'h265';
export type AudioCodec = 'aac' | 'opus';

interface TrackBase {
  /** Position in the stream, from 1, also the track_ID in fragmented MP4 (ISO/IEC 14496-12, 8.3.2). */
  readonly id: number;
  /** Ticks per second of every time of this track. Video: 90000. Audio: its sample rate. */
  readonly timescale: number;
  /** The `codecs` parameter of a media type (RFC 6381), as in `avc1.640028` or `mp4a.40.2`. */
  readonly codecString: string;
}

export interface VideoTrack extends TrackBase {
  readonly kind: 'video';
  readonly codec: VideoCodec;
  /** Pixels, after cropping. */
  readonly width: number;
  readonly height: number;
  /** avcC or hvcC record (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), NAL lengths of 4 bytes. */
  readonly config: Uint8Array;
}

export interface AudioTrack extends TrackBase {
  readonly kind: 'audio';
  readonly codec: AudioCodec;
  /** Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) for AAC, the body of dOps (RFC 7845 in ISOBMFF) for Opus. */
  readonly config: Uint8Array;
}

export type Track = VideoTrack | AudioTrack;

/** The primary track of a stream: its video, or the audio of a stream without video. */
export function primaryTrack(tracks: readonly Track[]): Track | undefined {
  return tracks.find(({ kind }) => kind === 'video') ?? tracks[0];
}

/** Whether both lists contain the same tracks, with the same parameters, in the same order. */
export function isSameTracks(a: readonly Track[], b: readonly Track[]): boolean {
  return a.length === b.length && a.every((track, at) => track === b[at]);
}
