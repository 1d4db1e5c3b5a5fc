import { ticksToMs } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import { TrackSelector } from '@vidette/media/track-selector';
import type { Stream } from '../hub/stream.ts';

/**
 * Shorter than for a source: a viewer whose buffer lacks the audio stalls, whereas a change of tracks ends a
 * recording run. Measured in media time.
 */
const audioPatience = { startMs: 300, silentMs: 2_000 };

/** The tracks of a stream that actually deliver samples: those that a viewer's player receives. */
export function activeTracks(stream: Stream): readonly Track[] {
  const { selector, nowMs } = selectorOf(stream);
  return selector.active(nowMs);
}

/** Audio is announced but has not arrived yet, and the video is too young to begin without it. */
export function isAudioDue(stream: Stream): boolean {
  const { selector, nowMs } = selectorOf(stream);
  return selector.expectsVideo && selector.isAudioDue(nowMs);
}

/** The state of the selector as if it had seen the contents of the hub, and the time of the newest frame. */
function selectorOf(stream: Stream): { selector: TrackSelector; nowMs: number } {
  const tracks = stream.tracks ?? [];
  const video = tracks.find(({ kind }) => kind === 'video');
  const audio = tracks.find(({ kind }) => kind === 'audio');
  const announced = { video: video !== undefined, audio: audio !== undefined };
  const selector = new TrackSelector(announced, audioPatience);
  for (const track of tracks) selector.setTrack(track);
  const audioSample = audio && stream.newest(audio.id);
  if (audioSample) selector.noteAudio(ticksToMs(audioSample.dts, audio.timescale));
  const frame = video && stream.newest(video.id);
  const [oldest] = stream.gop;
  if (frame && oldest) selector.noteVideo(true, ticksToMs(oldest.dts, video.timescale));
  const primary = primaryTrack(tracks);
  const newest = primary && stream.newest(primary.id);
  return { selector, nowMs: newest ? ticksToMs(newest.dts, primary.timescale) : 0 };
}
