import type { LiveTrack } from '@vidette/contract/live';
import type { Track } from '@vidette/media/track';

/** A track as described to viewers: without the decoder configuration, which is in the init segment. */
export function describeTrack(track: Track): LiveTrack {
  const { id, kind, codec, codecString, timescale } = track;
  const base = { id, kind, codec, codecString, timescale };
  return track.kind === 'video'
    ? { ...base, width: track.width, height: track.height }
    : { ...base, sampleRate: track.sampleRate, channels: track.channels };
}
