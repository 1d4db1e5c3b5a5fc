import { codecName, codecsOf } from './codec-name.ts';
import { spanAt, type MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';

/** What a player shows and how well it gets on, at one moment. */
export interface PlayerFigures {
  /** A WebSocket of fragments for live, ranges of files for the archive. */
  readonly transport: 'websocket' | 'http';
  /** As people call them, frames first: `H.264`, `mp4a.40.2`. */
  readonly codecs: readonly string[];
  /** Pixels; 0 before the first frame. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second of the stream itself; undefined while too few are known. */
  readonly rate: number | undefined;
  /** Media in hand after the moment shown, ms. */
  readonly aheadMs: number;
  /** Since the element's media began. */
  readonly shownFrames: number;
  readonly droppedFrames: number;
  /** Media received since the player was made. */
  readonly takenBytes: number;
}

/** Reads the figures off the element and its sink. */
export function figuresOf(
  video: MediaElement,
  sink: MediaSink,
  transport: PlayerFigures['transport'],
): PlayerFigures {
  const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
  const here = spanAt(sink.spans, video.currentTime);
  return {
    transport,
    codecs: codecsOf(sink.mimeType ?? '').map(codecName),
    width: video.videoWidth,
    height: video.videoHeight,
    rate: sink.frames.rateAt(video.currentTime * 1000),
    aheadMs: here ? Math.max(0, here.end - video.currentTime) * 1000 : 0,
    shownFrames: totalVideoFrames - droppedVideoFrames,
    droppedFrames: droppedVideoFrames,
    takenBytes: sink.takenBytes,
  };
}
