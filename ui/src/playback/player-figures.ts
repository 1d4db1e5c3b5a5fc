import { codecName, codecsOf } from './codec-name.ts';
import { spanAt, type MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';

/** The player's metrics at one moment. */
export interface PlayerFigures {
  /** Fragments over a WebSocket for live, byte ranges of files for the archive. */
  readonly transport: 'websocket' | 'http';
  /** By common name, video first: `H.264`, `mp4a.40.2`. */
  readonly codecs: readonly string[];
  /** Pixels; 0 before the first frame. */
  readonly width: number;
  readonly height: number;
  /** Frame rate of the stream itself; undefined while too few frames are known. */
  readonly rate: number | undefined;
  /** Media buffered after the moment shown, ms. */
  readonly aheadMs: number;
  /** Since the element's current media was loaded. */
  readonly shownFrames: number;
  readonly droppedFrames: number;
  /** Media received since the player was created. */
  readonly takenBytes: number;
}

/** Reads the metrics from the element and its sink. */
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
