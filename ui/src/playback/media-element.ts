/** The part of an HTML video element that the player uses; tests supply their own. */
export interface MediaElement extends EventTarget {
  /** Seconds. In this player always seconds of UTC: media times are absolute (see media-sink). */
  currentTime: number;
  playbackRate: number;
  muted: boolean;
  volume: number;
  src: string;
  disableRemotePlayback: boolean;
  /** Pixels of the video; 0 before the first frame. */
  readonly videoWidth: number;
  readonly videoHeight: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  /** HTMLMediaElement.readyState: from 2 on the current frame is available, from 3 on playback can continue. */
  readonly readyState: number;
  readonly buffered: TimeRanges;
  readonly error: MediaError | null;
  play(): Promise<void>;
  pause(): void;
  load(): void;
  removeAttribute(name: string): void;
  getVideoPlaybackQuality(): Pick<VideoPlaybackQuality, 'totalVideoFrames' | 'droppedVideoFrames'>;
}

/** A range of buffered media, seconds. */
export interface BufferedSpan {
  readonly start: number;
  readonly end: number;
}

/** TimeRanges as a list, in order. */
export function spansOf(ranges: TimeRanges): BufferedSpan[] {
  return Array.from({ length: ranges.length }, (_, index) => ({
    start: ranges.start(index),
    end: ranges.end(index),
  }));
}

/** Ranges this close to each other play as if they touched, seconds. */
const TOUCHING_S = 0.05;

/** The span that contains a moment, merging tiny holes left by the rounding of timestamps. */
export function spanAt(spans: readonly BufferedSpan[], time: number): BufferedSpan | undefined {
  return spans.find((span) => time >= span.start - TOUCHING_S && time < span.end + TOUCHING_S);
}
