import type { Stream } from 'node-av/lib';
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_OPUS,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants';
import type { MediaPath } from '../codec/media-path.ts';
import { aacCopy, opusCopy } from './audio-copy.ts';
import { AudioTranscoding } from './audio-transcoding.ts';
import type { Demuxer } from './demuxer.ts';
import { VideoCopy } from './video-copy.ts';
import { VideoTranscoding } from './video-transcoding.ts';

export const videoTrackId = 1;
const audioTrackId = 2;

/** The streams of an input that are used. */
export interface ChosenStreams {
  /** By the index of the stream. Each is to be closed. */
  readonly paths: ReadonlyMap<number, MediaPath>;
  readonly hasAudio: boolean;
}

/**
 * Picks one video and one audio stream; the others are not read, and not even fetched if the format allows it.
 * @param note receives what the stream's owner should know of the choice
 * @throws Error when there is no video
 */
export function chooseStreams(demuxer: Demuxer, note: (message: string) => void): ChosenStreams {
  const { streams } = demuxer;
  const videoIndex = demuxer.bestOf(AVMEDIA_TYPE_VIDEO);
  const video = streams[videoIndex];
  if (videoIndex < 0 || !video || video.attachedPic) throw new Error('There is no video in this stream.');
  const audioIndex = demuxer.bestOf(AVMEDIA_TYPE_AUDIO, videoIndex);
  const audio = audioIndex < 0 ? undefined : streams[audioIndex];
  const paths = new Map([[videoIndex, videoPath(video, note)]]);
  const pathOfAudio = audio && audioPath(audio, note);
  if (pathOfAudio) paths.set(audioIndex, pathOfAudio);
  streams.forEach((stream, index) => {
    if (!paths.has(index)) stream.discard = AVDISCARD_ALL;
  });
  return { paths, hasAudio: pathOfAudio !== undefined };
}

function videoPath(stream: Stream, note: (message: string) => void): MediaPath {
  const { codecId, extradata } = stream.codecpar;
  if (codecId === AV_CODEC_ID_H264) return new VideoCopy('h264', videoTrackId, extradata ?? undefined);
  if (codecId === AV_CODEC_ID_HEVC) return new VideoCopy('h265', videoTrackId, extradata ?? undefined);
  note('The video is transcoded to H.264, because browsers and MP4 files do not support its codec.');
  return new VideoTranscoding(videoTrackId, stream);
}

/** Undefined if the audio cannot be used; the video continues without it. */
function audioPath(stream: Stream, note: (message: string) => void): MediaPath | undefined {
  const { codecId, extradata } = stream.codecpar;
  try {
    if (codecId === AV_CODEC_ID_AAC) return aacCopy(audioTrackId, extradata ?? undefined);
    const opus = codecId === AV_CODEC_ID_OPUS ? opusCopy(audioTrackId, extradata ?? undefined) : undefined;
    return opus ?? new AudioTranscoding(audioTrackId, stream);
  } catch (error) {
    note(`The audio is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
