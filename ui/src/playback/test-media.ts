import type { MediaElement } from './media-element.ts';
import type { MseEnvironment } from './media-sink.ts';

/**
 * Media without a browser: a video element, a MediaSource and its SourceBuffer that model spans and time. Bytes
 * are lines of text: `init` for an init segment, `10-12` for a fragment from second 10 to 12.
 */

export function mediaBytes(...lines: string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(lines.map((line) => `\n${line}\n`).join(''));
}

/** Frames per second that a test's screen shows. */
const SCREEN_RATE = 60;

interface BufferSpan {
  start: number;
  end: number;
}

export class TestVideo extends EventTarget implements MediaElement {
  playbackRate = 1;
  muted = false;
  volume = 1;
  disableRemotePlayback = false;
  error: MediaError | null = null;
  paused = true;
  /** The error that the next `play` rejects with. */
  refusal: DOMException | undefined;
  spans: BufferSpan[] = [];
  /** Duration of its MediaSource, seconds. */
  duration = Number.NaN;
  #time = 0;
  #src = '';

  get videoWidth(): number {
    return 640;
  }

  get videoHeight(): number {
    return 360;
  }

  get currentTime(): number {
    return this.#time;
  }

  set currentTime(time: number) {
    // An element with an infinite source and an empty buffer has no seekable range.
    if (this.spans.length === 0 && this.duration === Infinity) return;
    this.#time = time;
  }

  get src(): string {
    return this.#src;
  }

  set src(url: string) {
    this.#src = url;
    this.#time = 0;
    this.paused = true;
    this.spans = [];
  }

  get seeking(): boolean {
    return !this.#here();
  }

  get readyState(): number {
    const here = this.#here();
    if (!here) return this.spans.length > 0 ? 1 : 0;
    return here.end - this.#time > 0.06 ? 4 : 2;
  }

  get buffered(): TimeRanges {
    const { spans } = this;
    return {
      length: spans.length,
      start: (index) => spans[index]?.start ?? Number.NaN,
      end: (index) => spans[index]?.end ?? Number.NaN,
    };
  }

  play(): Promise<void> {
    if (this.refusal && !this.muted) return Promise.reject(this.refusal);
    this.paused = false;
    return Promise.resolve();
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.dispatchEvent(new Event('pause'));
  }

  load(): void {}

  /** Frames presented. */
  shownFrames = 0;

  getVideoPlaybackQuality(): { totalVideoFrames: number; droppedVideoFrames: number } {
    return { totalVideoFrames: this.shownFrames, droppedVideoFrames: 0 };
  }

  removeAttribute(name: string): void {
    if (name === 'src') this.#src = '';
  }

  /** Plays for some seconds of real time, as far as data is available. */
  run(seconds: number): void {
    const here = this.#here();
    if (this.paused || !here) return;
    const target = this.#time + seconds * this.playbackRate;
    this.#time = Math.min(target, here.end);
    this.shownFrames += SCREEN_RATE * seconds;
    this.dispatchEvent(new Event(target > here.end ? 'waiting' : 'playing'));
  }

  #here(): BufferSpan | undefined {
    return this.spans.find((span) => this.#time >= span.start - 0.01 && this.#time <= span.end);
  }
}

export class TestSourceBuffer extends EventTarget {
  updating = false;
  readonly types: string[];
  readonly appended: string[] = [];
  /** Capacity in seconds of media before it reports a full buffer. */
  quotaS = Infinity;
  readonly #video: TestVideo;
  #isRemoving = false;

  constructor(video: TestVideo, mimeType: string) {
    super();
    this.#video = video;
    this.types = [mimeType];
  }

  appendBuffer(bytes: Uint8Array): void {
    const heldS = this.#video.spans.reduce((sum, span) => sum + span.end - span.start, 0);
    if (heldS > this.quotaS) throw new DOMException('full', 'QuotaExceededError');
    const lines = new TextDecoder().decode(bytes).trim().split('\n');
    this.appended.push(...lines);
    this.#update(() => {
      for (const line of lines) {
        const span = /^([\d.]+)-([\d.]+)$/.exec(line);
        if (span) this.#add({ start: Number(span[1]), end: Number(span[2]) });
      }
    });
  }

  remove(start: number, end: number): void {
    this.#update(() => {
      this.#video.spans = this.#video.spans.flatMap((span) =>
        [
          { start: span.start, end: Math.min(span.end, start) },
          { start: Math.max(span.start, end), end: span.end },
        ].filter((rest) => rest.end > rest.start),
      );
    });
    this.#isRemoving = true;
  }

  changeType(mimeType: string): void {
    this.types.push(mimeType);
  }

  abort(): void {
    // As a browser does (Media Source Extensions, 3.3: abort).
    if (this.#isRemoving) throw new DOMException('A removal is running', 'InvalidStateError');
    this.updating = false;
  }

  #update(apply: () => void): void {
    if (this.updating) throw new DOMException('Another update is running', 'InvalidStateError');
    this.updating = true;
    queueMicrotask(() => {
      apply();
      this.#isRemoving = false;
      if (!this.updating) return;
      this.updating = false;
      this.dispatchEvent(new Event('updateend'));
    });
  }

  #add(added: BufferSpan): void {
    const spans = [...this.#video.spans, { ...added }].sort((a, b) => a.start - b.start);
    const merged: BufferSpan[] = [];
    for (const span of spans) {
      const last = merged.at(-1);
      if (last && span.start <= last.end + 0.001) last.end = Math.max(last.end, span.end);
      else merged.push(span);
    }
    this.#video.spans = merged;
  }
}

/** An environment that stores the buffers of its sources in `buffers`, the newest last. */
export class TestMse implements MseEnvironment {
  readonly buffers: TestSourceBuffer[] = [];
  supports: (mimeType: string) => boolean = () => true;
  readonly #video: TestVideo;

  constructor(video: TestVideo) {
    this.#video = video;
  }

  get buffer(): TestSourceBuffer {
    const buffer = this.buffers.at(-1);
    if (!buffer) throw new Error('Nothing has been appended');
    return buffer;
  }

  create(): MediaSource {
    const video = this.#video;
    const source = Object.assign(new EventTarget(), {
      readyState: 'closed',
      addSourceBuffer: (mimeType: string) => {
        const buffer = new TestSourceBuffer(this.#video, mimeType);
        this.buffers.push(buffer);
        return buffer;
      },
    });
    Object.defineProperty(source, 'duration', {
      set(seconds: number) {
        video.duration = seconds;
      },
    });
    queueMicrotask(() => {
      source.readyState = 'open';
      source.dispatchEvent(new Event('sourceopen'));
    });
    return source as unknown as MediaSource;
  }

  isTypeSupported(mimeType: string): boolean {
    return this.supports(mimeType);
  }

  createObjectUrl(): string {
    return 'blob:test';
  }

  revokeObjectUrl(): void {}
}

/** A WebSocket whose other end is the test. */
export class TestSocket extends EventTarget {
  binaryType = 'blob';
  isClosed = false;
  readonly audio: boolean;
  readonly convert: boolean;

  constructor(audio: boolean, convert: boolean) {
    super();
    this.audio = audio;
    this.convert = convert;
  }

  close(): void {
    this.isClosed = true;
  }

  message(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  media(...lines: string[]): void {
    this.dispatchEvent(new MessageEvent('message', { data: mediaBytes(...lines).buffer }));
  }

  lose(): void {
    this.dispatchEvent(new Event('close'));
  }
}
