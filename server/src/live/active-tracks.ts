import { ticksToMs } from '@vidette/media/time';
import type { Track, VideoTrack } from '@vidette/media/track';
import type { Stream } from '../hub/stream.ts';

/** Audio that lags the video by more counts as silent. */
const maxLagMs = 2_000;

/**
 * The tracks of a stream that really deliver samples. A player buffers only what all declared tracks have, so
 * that one announced track without samples would block the video forever.
 */
export function activeTracks(stream: Stream): readonly Track[] {
  const tracks = stream.tracks ?? [];
  const video = tracks.find((track): track is VideoTrack => track.kind === 'video');
  if (!video) return tracks.slice(0, 1);
  const audio = tracks.find(({ kind }) => kind === 'audio');
  const videoMs = newestMs(stream, video);
  const audioMs = audio && newestMs(stream, audio);
  const isActive = audioMs !== undefined && (videoMs === undefined || audioMs > videoMs - maxLagMs);
  return audio && isActive ? [video, audio] : [video];
}

function newestMs(stream: Stream, track: Track): number | undefined {
  const sample = stream.newest(track.id);
  return sample && ticksToMs(sample.dts, track.timescale);
}
