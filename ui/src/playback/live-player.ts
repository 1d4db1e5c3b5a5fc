import type { PageClock } from '../base/clock.ts';
import { FrameArrivals, type Absence } from './frame-arrivals.ts';
import { codecName, codecsOf, spokenCodec, videoCodecOf } from './codec-name.ts';
import type { LiveLink, LiveLinkEvents } from './live-link.ts';
import type { ReceivedLiveMessage } from '@vidette/contract/live';
import { spanAt, type BufferedSpan, type MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';
import { Pace } from './pace.ts';
import { isFinalCode, type Notice, type PlayerState } from './state.ts';

export interface LivePlayerOptions {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  /** Requests the stream, with or without audio. */
  readonly connect: (events: LiveLinkEvents, options: { audio: boolean }) => LiveLink;
  /** Played media is kept this long, which bounds the browser's memory, seconds; 20 by default. */
  readonly keepBehindS?: number;
  readonly onState: (state: PlayerState) => void;
  readonly onNotice: (notice: Notice) => void;
}

const KEEP_BEHIND_S = 20;
/** Played media is removed when the buffer exceeds the kept amount by this factor. */
const TRIM_ABOVE = 2;
/** Video that hasn't moved for this long counts as stopped. */
const STANDS_AFTER_MS = 500;
/** Frames arrive but can't be played: the announced audio never comes, and playback would wait for it. */
const MUTE_SOURCE_AFTER_MS = 4000;
/**
 * The delay is believed within this of the newest frame: the clocks of server and browser agree well enough to
 * show the whole delay.
 */
const CLOCKS_AGREE_MS = 8000;
/** After this many failed appends without a frame in between, this browser can't decode the stream. */
const BREAKS_LIMIT = 4;
/**
 * Live video of one stream: appends the link's media to the sink, and the pace keeps the playhead a fraction of
 * a second behind. Created when live playback begins and disposed when it ends; it doesn't own video or sink.
 */
export class LivePlayer {
  readonly #options: LivePlayerOptions;
  readonly #pace = new Pace();
  readonly #arrivals: FrameArrivals;
  #connection: LiveLink | undefined;
  #mimeType: string | undefined;
  #hasAudio = true;
  #isPaused = false;
  /** The archive's media is removed from the sink; until then its spans say nothing about the live video. */
  #isCleared = false;
  /** The end of the buffer, seconds of UTC: it grows only when every track has data. */
  #bufferedS = 0;
  /** The link reported that no frames come for now. */
  #isStopped = false;
  #hasFrame = false;
  #hasStalled = false;
  /** The element's time at the last tick, and when it last changed, on the monotonic clock. */
  #lastTime = 0;
  #movedMs = -Infinity;
  #breaks = 0;
  /** Since when media has arrived that can't be played, on the monotonic clock. */
  #unplayableSinceMs: number | undefined;
  #decidedMs: number;
  #isDisposed = false;

  constructor(options: LivePlayerOptions) {
    this.#options = options;
    this.#arrivals = new FrameArrivals(options.clock);
    this.#decidedMs = options.clock.monotonicMs();
    options.onState({ name: 'connecting' });
    this.#clear();
    this.#connect();
  }

  /** How far the frame on screen is behind the newest received one, ms; undefined without a frame. */
  get behindMs(): number | undefined {
    const newest = this.#options.sink.spans.at(-1);
    if (!newest || !this.#hasFrame) return undefined;
    return Math.max(0, (newest.end - this.#options.video.currentTime) * 1000);
  }

  /** How long ago the frame on screen was captured, ms; undefined without one. */
  get delayMs(): number | undefined {
    const { behindMs } = this;
    if (behindMs === undefined) return undefined;
    const sinceMs = this.#options.clock.wallMs() - this.#options.video.currentTime * 1000;
    // Media times are the server's; with a different browser clock only the distance to the newest frame is
    // known.
    return sinceMs >= behindMs && sinceMs < behindMs + CLOCKS_AGREE_MS ? sinceMs : behindMs;
  }

  /** Freezes the video and stops receiving; playback then resumes with the current live video. */
  setPaused(isPaused: boolean): void {
    if (isPaused) this.#pause();
    else this.#resume();
  }

  #pause(): void {
    if (this.#isPaused || this.#isDisposed) return;
    this.#isPaused = true;
    this.#connection?.close();
    this.#connection = undefined;
    this.#options.video.pause();
    this.#options.onState({ name: 'paused' });
  }

  #resume(): void {
    if (!this.#isPaused || this.#isDisposed) return;
    this.#isPaused = false;
    this.#restart();
  }

  /** Network back, tab shown, machine awake. */
  wake(): void {
    this.#connection?.wake();
  }

  /** Everything appended was lost; requests the stream again. */
  onSinkBroken(): void {
    if (this.#isDisposed || this.#isPaused) return;
    this.#breaks += 1;
    if (this.#breaks >= BREAKS_LIMIT) {
      this.#fail({ name: 'unsupported', codec: spokenCodec(this.#mimeType ?? '') });
      return;
    }
    this.#begin();
    this.#connection?.restart();
  }

  /** Called several times a second. */
  tick(): void {
    if (this.#isDisposed || this.#isPaused || !this.#connection || !this.#isCleared) return;
    const { video, sink, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const elapsedS = (nowMs - this.#decidedMs) / 1000;
    this.#decidedMs = nowMs;
    if (video.currentTime !== this.#lastTime) this.#movedMs = nowMs;
    this.#lastTime = video.currentTime;
    const spans = sink.spans;
    // An element that kept playing while its feed was changed fires no `playing` event.
    if (this.#movedMs === nowMs && !video.paused && spanAt(spans, video.currentTime)) this.#hasFrame = true;
    const bufferedS = spans.at(-1)?.end ?? 0;
    // Media that was in flight when the link reported a stop doesn't count as an arrival.
    if (bufferedS !== this.#bufferedS && !this.#isStopped) this.#arrivals.note();
    this.#bufferedS = bufferedS;
    this.#watchForAudio(nowMs, spans.length > 0);
    this.#keepPace(spans, elapsedS);
    this.#report();
  }

  #keepPace(spans: readonly BufferedSpan[], elapsedS: number): void {
    const { video, sink } = this.#options;
    const oldest = spans[0];
    if (!oldest) return;
    const { currentTime } = video;
    const decision = this.#pace.decide({ spans, currentTime, hasStalled: this.#hasStalled, elapsedS });
    this.#hasStalled = false;
    if (decision.jumpTo !== undefined) video.currentTime = decision.jumpTo;
    if (video.playbackRate !== decision.rate) video.playbackRate = decision.rate;
    const { keepBehindS = KEEP_BEHIND_S } = this.#options;
    if (video.currentTime - oldest.start > TRIM_ABOVE * keepBehindS) {
      sink.remove(0, video.currentTime - keepBehindS);
    }
  }

  /** The element ran out of data. */
  onStalled(): void {
    if (this.#hasFrame) this.#hasStalled = true;
    this.#report();
  }

  /** The element shows frames. */
  onPlaying(): void {
    this.#hasFrame = true;
    this.#breaks = 0;
    this.#report();
  }

  /** Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#connection?.close();
    this.#connection = undefined;
    this.#options.video.playbackRate = 1;
  }

  #connect(): void {
    this.#begin();
    this.#connection = this.#options.connect(
      {
        onMessage: (message) => this.#onMessage(message),
        onMedia: (bytes) => this.#onMedia(bytes),
        onLost: () => {
          this.#stop('network');
          this.#mimeType = undefined;
          this.#report();
        },
      },
      { audio: this.#hasAudio },
    );
  }

  #restart(): void {
    this.#connection?.close();
    this.#options.onState({ name: 'connecting' });
    this.#connect();
  }

  #begin(): void {
    this.#pace.restart();
    this.#mimeType = undefined;
    this.#hasFrame = false;
    this.#unplayableSinceMs = undefined;
    this.#arrivals.restart();
    this.#isStopped = false;
  }

  #stop(absence: Absence): void {
    this.#isStopped = true;
    this.#arrivals.stop(absence);
  }

  #goOn(): void {
    this.#isStopped = false;
    this.#arrivals.resume();
  }

  #onMessage(message: ReceivedLiveMessage): void {
    switch (message.type) {
      case 'init':
        this.#onInit(message.mimeType);
        return;
      case 'skipped':
        if (message.samples > 0) this.#options.onNotice({ type: 'frames', frames: message.samples });
        return;
      case 'waiting':
        this.#stop('source');
        this.#report();
        return;
      case 'end':
        if (isFinalCode(message.code)) this.#fail({ name: 'failed', code: message.code });
        else this.#stop('source');
        this.#report();
    }
  }

  #onInit(mimeType: string): void {
    this.#goOn();
    const { sink } = this.#options;
    if (!sink.isSupported(mimeType)) {
      const videoCodec = videoCodecOf(mimeType);
      const isAudioAtFault =
        this.#hasAudio &&
        videoCodec !== undefined &&
        codecsOf(mimeType).length > 1 &&
        sink.isSupported(`video/mp4; codecs="${videoCodec}"`);
      if (isAudioAtFault) this.#goWithoutAudio();
      else
        this.#fail({
          name: 'unsupported',
          codec: codecName(videoCodec ?? codecsOf(mimeType)[0] ?? mimeType),
        });
      return;
    }
    this.#mimeType = mimeType;
    sink.setType(mimeType);
  }

  #onMedia(bytes: Uint8Array): void {
    if (!this.#mimeType) return;
    this.#goOn();
    this.#unplayableSinceMs ??= this.#options.clock.monotonicMs();
    this.#options.sink.append(bytes);
  }

  /** With a track that never sends, the intersection of all tracks' spans stays empty for ever. */
  #watchForAudio(nowMs: number, isPlayable: boolean): void {
    if (isPlayable) this.#unplayableSinceMs = undefined;
    if (this.#unplayableSinceMs === undefined || !this.#hasAudio || !this.#mimeType) return;
    if (codecsOf(this.#mimeType).length < 2) return;
    if (nowMs - this.#unplayableSinceMs > MUTE_SOURCE_AFTER_MS) this.#goWithoutAudio();
  }

  #goWithoutAudio(): void {
    this.#hasAudio = false;
    this.#clear();
    this.#restart();
  }

  #clear(): void {
    this.#isCleared = false;
    // Never rejects.
    void this.#options.sink.clear().then(() => {
      this.#isCleared = true;
    });
  }

  #fail(state: PlayerState): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#options.onState(state);
  }

  #report(): void {
    if (this.#isDisposed || this.#isPaused || !this.#connection) return;
    const { video, onState } = this.#options;
    // The buffer keeps playing, and near its end frames are played as they arrive: moving video counts as
    // playing.
    const { absence } = this.#arrivals;
    const isMoving = this.#options.clock.monotonicMs() - this.#movedMs < STANDS_AFTER_MS;
    if (this.#hasFrame && isMoving && !video.paused) onState({ name: 'playing' });
    else if (absence !== undefined) onState({ name: 'waiting', reason: absence });
    else onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
  }
}
