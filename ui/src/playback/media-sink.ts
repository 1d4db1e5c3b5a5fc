import { codecsOf } from './codec-name.ts';
import { FrameIndex } from './frame-index.ts';
import { spansOf, type BufferedSpan, type MediaElement } from './media-element.ts';
import { joinFirst, SinkQueue, type SinkOperation } from './sink-queue.ts';

/** The browser's interfaces for appending media; tests supply their own. */
export interface MseEnvironment {
  create(): MediaSource;
  isTypeSupported(mimeType: string): boolean;
  createObjectUrl(source: MediaSource): string;
  revokeObjectUrl(url: string): void;
}

interface MseGlobals {
  readonly MediaSource?: typeof MediaSource;
  /** Safari on iPhones has only this one (Media Source Extensions 2, "ManagedMediaSource"). */
  readonly ManagedMediaSource?: typeof MediaSource;
}

/** The browser's Media Source Extensions; undefined where it has none. */
export function browserMse(globals: MseGlobals = globalThis): MseEnvironment | undefined {
  const Source = globals.MediaSource ?? globals.ManagedMediaSource;
  if (!Source) return undefined;
  return {
    create: () => new Source(),
    isTypeSupported: (mimeType) => Source.isTypeSupported(mimeType),
    createObjectUrl: (source) => URL.createObjectURL(source),
    revokeObjectUrl: (url) => URL.revokeObjectURL(url),
  };
}

export interface MediaSinkEvents {
  /**
   * Appending or decoding failed; everything appended is lost and the sink is empty, ready for a new init
   * segment.
   */
  readonly onBroken: (cause: string) => void;
  /** Buffered spans changed. */
  readonly onBuffered: () => void;
}

/**
 * The year 2100. An infinite duration would be more accurate, but with it a browser drops every seek made while
 * the buffer is empty (HTML, 4.8.11.9: nothing is seekable then).
 */
const DURATION_S = Date.UTC(2100, 0, 1) / 1000;
/** How much played media is removed when the browser reports a full buffer, seconds. */
const QUOTA_KEEPS_S = 2;

/**
 * The only path of media into the video element: fragmented MP4 through a SourceBuffer, one operation at a
 * time. Timestamps are appended as they are in the fragments, which is UTC, so that `video.currentTime` is UTC
 * in seconds for live and archive alike and needs no mapping. Independent of where the bytes come from.
 */
export class MediaSink {
  readonly #video: MediaElement;
  readonly #environment: MseEnvironment;
  readonly #events: MediaSinkEvents;
  /** The frames in the buffer. */
  readonly frames = new FrameIndex();
  #source: MediaSource | undefined;
  #buffer: SourceBuffer | undefined;
  #mimeType: string | undefined;
  #url: string | undefined;
  readonly #queue = new SinkQueue();
  #isOpen = false;
  #isRemoving = false;
  #isDisposed = false;

  constructor(video: MediaElement, environment: MseEnvironment, events: MediaSinkEvents) {
    this.#video = video;
    this.#environment = environment;
    this.#events = events;
    video.addEventListener('error', this.#onVideoError);
  }

  isSupported(mimeType: string): boolean {
    return this.#environment.isTypeSupported(mimeType);
  }

  /** The buffered spans, seconds of UTC, in order. */
  get spans(): BufferedSpan[] {
    if (!this.#buffer) return [];
    return spansOf(this.#video.buffered);
  }

  /** The current media type; undefined before the first. */
  get mimeType(): string | undefined {
    return this.#mimeType;
  }

  /** Total bytes received. */
  get takenBytes(): number {
    return this.#queue.takenBytes;
  }

  /** The following media has this type; the next append must be its init segment. */
  setType(mimeType: string): void {
    this.#push({ type: 'type', mimeType });
  }

  /** An init segment or whole fragments, in order. The bytes must not change afterwards. */
  append(bytes: Uint8Array): void {
    if (this.#isDisposed) return;
    this.frames.add(bytes);
    this.#queue.append(bytes);
    if (this.#queue.isTooLong) this.#break('queue');
    else this.#pump();
  }

  /** Resolves when everything appended so far is in the buffer, or the sink failed or was disposed. */
  appended(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    return new Promise((resolve) => this.#push({ type: 'mark', reached: resolve }));
  }

  /** Removes buffered media, seconds of UTC. */
  remove(start: number, end: number): void {
    if (end > start) this.#push({ type: 'remove', start, end });
  }

  /**
   * Discards the buffer and the pending appends; the frame on screen stays until another comes. Resolves when
   * the buffer is empty (or the sink failed or was disposed: it is empty then as well).
   */
  clear(): Promise<void> {
    this.#queue.drop();
    this.frames.clear();
    if (!this.#buffer) return Promise.resolve();
    // Aborts a running append, and an incomplete fragment. A removal can't be aborted, only awaited.
    if (!this.#isRemoving) this.#buffer.abort();
    return new Promise((resolve) => {
      this.remove(0, Infinity);
      this.#push({ type: 'mark', reached: resolve });
    });
  }

  /** Detaches the media from the element. Idempotent. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#video.removeEventListener('error', this.#onVideoError);
    this.#close();
    this.#video.removeAttribute('src');
    this.#video.load();
  }

  #push(operation: SinkOperation): void {
    if (this.#isDisposed) return;
    this.#queue.push(operation);
    this.#pump();
  }

  #pump(): void {
    if (this.#isDisposed || this.#buffer?.updating) return;
    const operation = this.#queue.next;
    if (!operation) return;
    if (!this.#source) {
      this.#open();
      return;
    }
    if (!this.#isOpen) return;
    try {
      switch (operation.type) {
        case 'type':
          if (!this.#hasTracksOf(operation.mimeType)) {
            // Pending appends go into the new buffer.
            this.#closeSource();
            this.#pump();
            return;
          }
          this.#queue.shift();
          this.#switchType(operation.mimeType);
          this.#pump();
          return;
        case 'append':
          this.#appendNext(operation.bytes);
          return;
        case 'remove':
          this.#queue.shift();
          if (this.#buffer) this.#removeNow(this.#buffer, operation.start, operation.end);
          else this.#pump();
          return;
        case 'mark':
          this.#queue.shift();
          operation.reached();
          this.#pump();
          return;
      }
    } catch (error) {
      this.#break(error instanceof Error ? error.name : 'append');
    }
  }

  #appendNext(waiting: Uint8Array[]): void {
    const buffer = this.#buffer;
    if (!buffer) {
      // Fragments of a type that was never announced: they belong to discarded media.
      this.#queue.shift();
      return;
    }
    const joined = joinFirst(waiting);
    try {
      buffer.appendBuffer(joined.bytes);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error;
      const keepFrom = this.#video.currentTime - QUOTA_KEEPS_S;
      const oldest = this.spans[0];
      if (!oldest || oldest.start >= keepFrom - QUOTA_KEEPS_S) throw error;
      this.#removeNow(buffer, 0, keepFrom);
      return;
    }
    this.#queue.shiftBytes(waiting, joined);
  }

  #removeNow(buffer: SourceBuffer, start: number, end: number): void {
    buffer.remove(start, end);
    this.frames.remove(start * 1000, end * 1000);
    this.#isRemoving = true;
  }

  #switchType(mimeType: string): void {
    if (!this.#source) return;
    if (!this.#buffer) {
      this.#buffer = this.#source.addSourceBuffer(mimeType);
      this.#buffer.addEventListener('updateend', this.#onUpdateEnd);
    } else if (this.#mimeType !== mimeType) {
      this.#buffer.changeType(mimeType);
    }
    this.#mimeType = mimeType;
  }

  /**
   * A buffer keeps the number of tracks of its first init segment (Media Source Extensions 2, "init segment
   * received").
   */
  #hasTracksOf(mimeType: string): boolean {
    return this.#mimeType === undefined || codecsOf(this.#mimeType).length === codecsOf(mimeType).length;
  }

  #open(): void {
    const source = this.#environment.create();
    this.#source = source;
    source.addEventListener(
      'sourceopen',
      () => {
        if (this.#source !== source) return;
        source.duration = DURATION_S;
        this.#isOpen = true;
        this.#pump();
      },
      { once: true },
    );
    // ManagedMediaSource opens only for an element with remote playback disabled.
    this.#video.disableRemotePlayback = true;
    this.#url = this.#environment.createObjectUrl(source);
    this.#video.src = this.#url;
  }

  #close(): void {
    this.#closeSource();
    this.#queue.drop();
    this.frames.clear();
  }

  #closeSource(): void {
    this.#buffer?.removeEventListener('updateend', this.#onUpdateEnd);
    this.#buffer = undefined;
    this.#source = undefined;
    this.#mimeType = undefined;
    this.#isOpen = false;
    this.#isRemoving = false;
    if (this.#url) this.#environment.revokeObjectUrl(this.#url);
    this.#url = undefined;
  }

  #break(cause: string): void {
    this.#close();
    this.#events.onBroken(cause);
  }

  readonly #onUpdateEnd = (): void => {
    this.#isRemoving = false;
    if (this.#isDisposed) return;
    this.#events.onBuffered();
    this.#pump();
  };

  readonly #onVideoError = (): void => {
    // Removing `src` also fires an error on the element; it has no source of ours then.
    if (this.#source && this.#video.error) this.#break(`media error ${this.#video.error.code}`);
  };
}
