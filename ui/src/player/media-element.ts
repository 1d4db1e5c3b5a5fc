/** What the player uses of an HTML video element; a test gives its own. */
export interface MediaElement extends EventTarget {
  /** Seconds. In this player always seconds of UTC: media times are absolute (see media-sink). */
  currentTime: number;
  playbackRate: number;
  muted: boolean;
  volume: number;
  src: string;
  disableRemotePlayback: boolean;
  /** Pixels of the picture; 0 before there is one. */
  readonly videoWidth: number;
  readonly videoHeight: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  /** HTMLMediaElement.readyState: 2 has the picture of this moment, 3 can go on. */
  readonly readyState: number;
  readonly buffered: TimeRanges;
  readonly error: MediaError | null;
  play(): Promise<void>;
  pause(): void;
  load(): void;
  removeAttribute(name: string): void;
  getVideoPlaybackQuality(): Pick<VideoPlaybackQuality, 'totalVideoFrames' | 'droppedVideoFrames'>;
}

/** A stretch of buffered media, seconds. */
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

/** Frames that end and begin this near each other are played on as if they touched, seconds. */
const TOUCHING_S = 0.05;

/** The span that holds a moment, taking in the tiny holes that rounding of times leaves. */
export function spanAt(spans: readonly BufferedSpan[], time: number): BufferedSpan | undefined {
  return spans.find((span) => time >= span.start - TOUCHING_S && time < span.end + TOUCHING_S);
}
