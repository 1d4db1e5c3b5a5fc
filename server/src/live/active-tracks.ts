import { ticksToMs } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import { TrackSelector } from '@vidette/media/track-selector';
import type { Stream } from '../hub/stream.ts';

/**
 * Shorter than a source's: a viewer whose buffer lacks the audio stops, while tracks that change end a recording run. Times are
 * those of the media.
 */
const audioPatience = { startMs: 300, silentMs: 2_000 };

/** The tracks of a stream that really deliver samples; those that a viewer's player gets. */
export function activeTracks(stream: Stream): readonly Track[] {
  const { selector, nowMs } = selectorOf(stream);
  return selector.active(nowMs);
}

/** Audio is announced, has not arrived yet, and the video is too young to begin without it. */
export function isAudioDue(stream: Stream): boolean {
  const { selector, nowMs } = selectorOf(stream);
  return selector.expectsVideo && selector.isAudioDue(nowMs);
}

/** The selector as if it had seen what the hub holds, and the time of the newest frame. */
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
