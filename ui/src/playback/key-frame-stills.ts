import type { ArchiveAccess } from './archive-access.ts';
import type { PageClock } from '../base/clock.ts';
import { keyOf } from './init-segments.ts';
import type { KeyFrame } from './key-fragments.ts';
import type { MediaElement } from './media-element.ts';
import { MediaSink, type MseEnvironment } from './media-sink.ts';

/** The key frame at or before a moment; it can be drawn until the next one is requested. */
export interface StillFrame {
  /** When it was taken, UTC ms. */
  readonly utcMs: number;
  readonly image: CanvasImageSource;
}

/** The source of still frames. One request at a time. */
export interface StillSource {
  /** Undefined where nothing is recorded. @throws ApiError, or the signal's reason */
  at(utcMs: number, signal: AbortSignal): Promise<StillFrame | undefined>;
  dispose(): void;
}

export interface KeyFrameStillsOptions {
  /** An element of its own, not used for playback. */
  readonly video: MediaElement & CanvasImageSource & Partial<FrameTeller>;
  readonly clock: PageClock;
  readonly environment: MseEnvironment;
  readonly reader: ArchiveAccess;
  /** For video that this browser can't decode: a snapshot made by the server. */
  readonly otherwise: (utcMs: number, signal: AbortSignal) => Promise<StillFrame | undefined>;
}

/** Reported by most browsers' elements: which frame has been presented and can be drawn. */
type FrameTeller = Pick<HTMLVideoElement, 'requestVideoFrameCallback' | 'cancelVideoFrameCallback'>;

/** Number of frames appended before the element's buffer is emptied. */
const SPANS_KEPT = 120;
/** An offset inside the frame, whatever rounding does to its start time. */
const INSIDE_S = 0.001;
/** An element at the right position that reports no frame is trusted after this long. */
const TELL_WITHIN_MS = 200;

/**
 * Still frames decoded by the browser: fetches one key frame, appends it to a hidden element of its own, and
 * seeks the element there. Costs the server a range read and this machine one decoded frame.
 */
export class KeyFrameStills implements StillSource {
  readonly #options: KeyFrameStillsOptions;
  readonly #sink: MediaSink;
  #changed: (() => void) | undefined;
  #initInUse: string | undefined;
  #appended = 0;
  /** Start times of the frames in the buffer, UTC ms. */
  readonly #inBuffer = new Set<number>();
  /** Start time of the frame that the element would draw, UTC ms. */
  #shownMs: number | undefined;
  #isBroken = false;

  constructor(options: KeyFrameStillsOptions) {
    this.#options = options;
    const { video, environment } = options;
    this.#sink = new MediaSink(video, environment, {
      onBroken: () => {
        this.#initInUse = undefined;
        this.#shownMs = undefined;
        this.#inBuffer.clear();
        this.#isBroken = true;
        this.#changed?.();
      },
      onBuffered: () => this.#changed?.(),
    });
    for (const name of ['seeked', 'loadeddata', 'canplay']) video.addEventListener(name, this.#onElement);
  }

  async at(utcMs: number, signal: AbortSignal): Promise<StillFrame | undefined> {
    const { reader, video, otherwise } = this.#options;
    const fragment = await reader.fragments.at(utcMs, signal);
    const key = fragment && (await reader.keys.of(fragment, signal));
    if (!key) return undefined;
    if (!this.#sink.isSupported(key.init.mimeType)) return otherwise(utcMs, signal);
    await this.#append(keyOf(fragment.init), key, signal);
    if (!(await this.#show(key, signal))) {
      // Among neighbouring frames appended out of order a browser may present the next one: a frame alone can't
      // be mistaken.
      await this.#empty();
      await this.#append(keyOf(fragment.init), key, signal);
      await this.#show(key, signal);
    }
    return { utcMs: key.startMs, image: video };
  }

  /** Idempotent. */
  dispose(): void {
    for (const name of ['seeked', 'loadeddata', 'canplay']) {
      this.#options.video.removeEventListener(name, this.#onElement);
    }
    this.#sink.dispose();
  }

  async #append(initKey: string, key: KeyFrame, signal: AbortSignal): Promise<void> {
    const middleS = (key.startMs + key.endMs) / 2000;
    const isThere = () => this.#sink.spans.some(({ start, end }) => middleS >= start && middleS < end);
    // Browsers report spans with holes of one or two frames as continuous.
    if (this.#inBuffer.has(key.startMs) && isThere()) return;
    this.#appended += 1;
    if (this.#appended % SPANS_KEPT === 0) await this.#empty();
    signal.throwIfAborted();
    this.#isBroken = false;
    if (this.#initInUse !== initKey) {
      this.#initInUse = initKey;
      this.#sink.setType(key.init.mimeType);
      this.#sink.append(key.init.bytes);
    }
    this.#sink.append(key.bytes);
    // Frames that begin within a frame appended later are removed from the buffer.
    for (const startMs of this.#inBuffer)
      if (startMs > key.startMs && startMs < key.endMs) this.#inBuffer.delete(startMs);
    await this.#sink.appended();
    await this.#until(isThere, signal);
    this.#inBuffer.add(key.startMs);
  }

  #empty(): Promise<void> {
    this.#shownMs = undefined;
    this.#inBuffer.clear();
    return this.#sink.clear();
  }

  /**
   * Resolves to whether the element would draw that frame (true) or another: an element reports the position
   * slightly before that.
   */
  async #show(key: KeyFrame, signal: AbortSignal): Promise<boolean> {
    const { video, clock } = this.#options;
    if (this.#shownMs === key.startMs) return true;
    this.#shownMs = undefined;
    const [told, forget] = this.#told(key.startMs);
    try {
      const wantedS = key.startMs / 1000 + INSIDE_S;
      // Chromium does not redraw for a seek to its current position.
      const isThere = Math.abs(video.currentTime - wantedS) < INSIDE_S / 2;
      video.currentTime = isThere ? wantedS + INSIDE_S : wantedS;
      await this.#until(() => !video.seeking && video.readyState >= 2, signal);
      const isRight = await new Promise<boolean>((resolve) => {
        const cancel = clock.after(TELL_WITHIN_MS, () => resolve(true));
        void told.then((isIt) => {
          cancel();
          resolve(isIt);
        });
      });
      signal.throwIfAborted();
      this.#shownMs = isRight ? key.startMs : undefined;
      return isRight;
    } finally {
      forget();
    }
  }

  /**
   * Resolves to whether the element presents the frame that begins at this time; immediately to true if it
   * never reports frames.
   */
  #told(startMs: number): readonly [Promise<boolean>, () => void] {
    const { video } = this.#options;
    if (!video.requestVideoFrameCallback) return [Promise.resolve(true), () => {}];
    let asked = 0;
    const told = new Promise<boolean>((resolve) => {
      const ask = () => {
        asked =
          video.requestVideoFrameCallback?.((_, { mediaTime }) => {
            if (Math.abs(mediaTime - startMs / 1000) < INSIDE_S) resolve(true);
            // While seeking it may still be the previous frame.
            else if (video.seeking) ask();
            else resolve(false);
          }) ?? 0;
      };
      ask();
    });
    return [told, () => video.cancelVideoFrameCallback?.(asked)];
  }

  /** @throws the signal's reason; an Error when the element can't decode the media */
  async #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isSo()) {
      signal.throwIfAborted();
      if (this.#isBroken) throw new Error('The frame could not be decoded');
      await new Promise<void>((resolve) => {
        const end = () => {
          signal.removeEventListener('abort', end);
          this.#changed = undefined;
          resolve();
        };
        this.#changed = end;
        signal.addEventListener('abort', end);
      });
    }
  }

  readonly #onElement = (): void => {
    this.#changed?.();
  };
}
