import type { LiveTrack } from '@vidette/contract/live';
import type { Track } from '@vidette/media/track';

/** A track as viewers see it: without the decoder configuration, which the init segment carries. */
export function describeTrack(track: Track): LiveTrack {
  const { id, kind, codec, codecString, timescale } = track;
  const base = { id, kind, codec, codecString, timescale };
  return track.kind === 'video'
    ? { ...base, width: track.width, height: track.height }
    : { ...base, sampleRate: track.sampleRate, channels: track.channels };
}
