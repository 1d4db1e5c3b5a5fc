import { frameBeside } from './frame-step.ts';
import { LiveReception, type ConnectLive } from './live-reception.ts';
import { spanAt, type BufferedSpan } from './media-element.ts';
import { NewestFrame } from './newest-frame.ts';
import { Pace } from './pace.ts';
import type { Playback, PlaybackParts } from './playback.ts';
import type { Notice } from './state.ts';

export interface LivePlaybackOptions extends PlaybackParts {
  readonly connect: ConnectLive;
  /** Played media is kept this long, which bounds the browser's memory, seconds; 20 by default. */
  readonly keepBehindS?: number;
  readonly onNotice: (notice: Notice) => void;
  /** The server is overloaded and sends only key frames, or all again. */
  readonly onReduced: (isReduced: boolean) => void;
}

const KEEP_BEHIND_S = 20;
/** Played media is removed when the buffer exceeds the kept amount by this factor. */
const TRIM_ABOVE = 2;
/** Video that hasn't moved for this long counts as stopped. */
const STANDS_AFTER_MS = 500;
/**
 * The delay is believed within this of the newest frame: the clocks of server and browser agree well enough to
 * show the whole delay.
 */
const CLOCKS_AGREE_MS = 8000;

/** Live video of one stream: the pace keeps the playhead a fraction of a second behind what is received. */
export class LivePlayback implements Playback {
  readonly #options: LivePlaybackOptions;
  readonly #pace = new Pace();
  readonly #reception: LiveReception;
  readonly #newestFrame: NewestFrame;
  /** Media of another time is removed from the sink; until then its spans say nothing about the live video. */
  #isCleared = false;
  /** The end of the buffer, seconds of UTC: it grows only when every track has data. */
  #bufferedS = 0;
  #hasFrame = false;
  #hasStalled = false;
  /** The element's time at the last tick, and when it last changed, on the monotonic clock. */
  #lastTime = 0;
  #movedMs = -Infinity;
  #decidedMs: number;
  #isDisposed = false;

  constructor(options: LivePlaybackOptions) {
    this.#options = options;
    const { video, sink, clock, onNotice } = options;
    this.#newestFrame = new NewestFrame(sink, clock, (endS) => this.#goBack(endS));
    this.#reception = new LiveReception({
      ...options,
      sink: this.#newestFrame,
      onBegin: () => {
        this.#newestFrame.clear();
        this.#pace.restart();
        this.#hasFrame = false;
      },
      onInit: () => {},
      onMedia: () => this.#reception.arrivals.resume(),
      onSkipped: (frames) => onNotice({ type: 'frames', frames }),
      onAway: () => this.#report(),
      onOtherForm: () => this.#clear(),
    });
    this.#decidedMs = clock.monotonicMs();
    video.playbackRate = 1;
    this.#clear();
    this.#reception.start();
  }

  get playsElement(): boolean {
    return true;
  }

  get utcMs(): number | undefined {
    const { currentTime } = this.#options.video;
    return currentTime > 0 ? currentTime * 1000 : undefined;
  }

  get isSeeking(): boolean {
    return false;
  }

  get delayMs(): number | undefined {
    const { video, clock } = this.#options;
    const newest = this.#receivedSpans().at(-1);
    if (!newest || !this.#hasFrame) return undefined;
    const behindMs = Math.max(0, (newest.end - video.currentTime) * 1000);
    const sinceMs = clock.wallMs() - video.currentTime * 1000;
    // Media times are the server's; with a different browser clock only the distance to the newest frame is
    // known.
    return sinceMs >= behindMs && sinceMs < behindMs + CLOCKS_AGREE_MS ? sinceMs : behindMs;
  }

  setPaused(isPaused: boolean): void {
    this.#reception.setPaused(isPaused);
  }

  /** The pace sets the rate. */
  setSpeed(): void {}

  /** The past is in the archive. */
  seek(): boolean {
    return false;
  }

  /** The buffer goes back some seconds. After its newest frame there is none yet. */
  step(direction: 1 | -1): boolean {
    if (this.#isDisposed) return false;
    const { video, sink } = this.#options;
    const nextS = frameBeside(sink, video.currentTime * 1000, direction);
    if (nextS !== undefined) video.currentTime = nextS;
    return nextS !== undefined || direction > 0;
  }

  tick(): void {
    if (!this.#reception.isActive || !this.#isCleared) return;
    const { video, sink, clock } = this.#options;
    const { arrivals } = this.#reception;
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
    if (bufferedS !== this.#bufferedS && !arrivals.isStopped) arrivals.note();
    this.#bufferedS = bufferedS;
    this.#reception.checkAudio(spans.length > 0);
    this.#keepPace(this.#receivedSpans(), elapsedS);
    this.#report();
  }

  wake(): void {
    this.#reception.wake();
  }

  onPlaying(): void {
    if (this.#isDisposed) return;
    this.#hasFrame = true;
    this.#reception.onShown();
    this.#report();
  }

  onStalled(): void {
    if (this.#hasFrame && !this.#reception.isReduced) this.#hasStalled = true;
    this.#report();
  }

  onSinkBroken(): void {
    this.#reception.onSinkBroken();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#reception.dispose();
    this.#newestFrame.clear();
    this.#options.video.playbackRate = 1;
  }

  /** What is buffered, with the frame that waits to be appended. */
  #receivedSpans(): BufferedSpan[] {
    const spans = this.#options.sink.spans;
    const newest = spans.pop();
    return newest ? [...spans, { start: newest.start, end: newest.end + this.#newestFrame.heldS }] : [];
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
    // Of rare frames the one on screen must stay.
    const keepBehindS = this.#reception.isReduced
      ? KEEP_BEHIND_S
      : (this.#options.keepBehindS ?? KEEP_BEHIND_S);
    if (video.currentTime - oldest.start > TRIM_ABOVE * keepBehindS) {
      sink.remove(0, video.currentTime - keepBehindS);
    }
  }

  /** Empties the sink for the first frame. */
  #clear(): void {
    this.#options.onState({ name: 'connecting' });
    this.#ignoreUntil(this.#options.sink.clear());
  }

  /** The camera's times were set back: what is buffered after `endS` would be waited for. */
  #goBack(endS: number): void {
    const { sink } = this.#options;
    sink.remove(endS, Infinity);
    this.#pace.restart();
    this.#ignoreUntil(sink.appended());
  }

  /** @param cleared media of another time is out of the sink; never rejects */
  #ignoreUntil(cleared: Promise<void>): void {
    this.#isCleared = false;
    void cleared.then(() => {
      this.#isCleared = true;
    });
  }

  #report(): void {
    if (!this.#reception.isActive) return;
    const { video, clock, onState } = this.#options;
    // The buffer keeps playing, and near its end frames are played as they arrive: moving video counts as
    // playing.
    const { absence } = this.#reception.arrivals;
    // Of key frames alone, the one on screen stays until the next: that is no interruption.
    const isMoving = this.#reception.isReduced
      ? absence === undefined
      : clock.monotonicMs() - this.#movedMs < STANDS_AFTER_MS;
    if (this.#hasFrame && isMoving && !video.paused) onState({ name: 'playing' });
    else if (absence !== undefined) onState({ name: 'waiting', reason: absence });
    else onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
  }
}
