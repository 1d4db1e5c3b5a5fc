import type { ArchiveAccess } from './archive-access.ts';
import type { PageClock } from '../base/clock.ts';
import { keyOf } from './init-segments.ts';
import type { KeyFrame } from './key-fragments.ts';
import type { MediaElement } from './media-element.ts';
import { MediaSink, type MseEnvironment } from './media-sink.ts';

/** The key frame at or before a moment, ready to be drawn until the next one is asked for. */
export interface StillFrame {
  /** When it was taken, UTC ms. */
  readonly utcMs: number;
  readonly image: CanvasImageSource;
}

/** Where stills come from. One is asked for at a time. */
export interface StillSource {
  /** Undefined where nothing is recorded. @throws ApiError, or the signal's reason */
  at(utcMs: number, signal: AbortSignal): Promise<StillFrame | undefined>;
  dispose(): void;
}

export interface KeyFrameStillsOptions {
  /** An element of its own, which nobody else plays in. */
  readonly video: MediaElement & CanvasImageSource & Partial<FrameTeller>;
  readonly clock: PageClock;
  readonly environment: MseEnvironment;
  readonly reader: ArchiveAccess;
  /** For what this browser can't decode: a still made by the server. */
  readonly otherwise: (utcMs: number, signal: AbortSignal) => Promise<StillFrame | undefined>;
}

/** What most browsers' elements tell: which picture has come to where it can be drawn from. */
type FrameTeller = Pick<HTMLVideoElement, 'requestVideoFrameCallback' | 'cancelVideoFrameCallback'>;

/** So many frames stay in the element's buffer before it is emptied. */
const SPANS_KEPT = 120;
/** Within the picture, whatever rounding does to its beginning. */
const INSIDE_S = 0.001;
/** An element that is there and still says nothing of its picture is believed after this long. */
const TELL_WITHIN_MS = 200;

/**
 * Stills decoded by the browser: one key frame is fetched, appended to a hidden element of its own, and the element sent
 * there. Costs the server a range read and this machine one decoded picture.
 */
export class KeyFrameStills implements StillSource {
  readonly #options: KeyFrameStillsOptions;
  readonly #sink: MediaSink;
  #changed: (() => void) | undefined;
  #initInUse: string | undefined;
  #appended = 0;
  /** Beginnings of the frames that are in the buffer, UTC ms. */
  readonly #inBuffer = new Set<number>();
  /** Beginning of the picture that the element would draw, UTC ms. */
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
      // Among neighbours appended in another order a browser may find the next one: alone, none can be taken for it.
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
    // Browsers tell of spans with holes as long as a picture or two as if they were whole.
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
    // What begins within a picture that is appended later is taken out of the buffer.
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

  /** Resolves when that picture, true, or another is what would be drawn: an element says that it is there a little earlier. */
  async #show(key: KeyFrame, signal: AbortSignal): Promise<boolean> {
    const { video, clock } = this.#options;
    if (this.#shownMs === key.startMs) return true;
    this.#shownMs = undefined;
    const [told, forget] = this.#told(key.startMs);
    try {
      const wantedS = key.startMs / 1000 + INSIDE_S;
      // Chromium draws nothing anew for a seek to where it stands.
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

  /** Resolves when the element tells whether it has the picture of that beginning; at once if it never tells. */
  #told(startMs: number): readonly [Promise<boolean>, () => void] {
    const { video } = this.#options;
    if (!video.requestVideoFrameCallback) return [Promise.resolve(true), () => {}];
    let asked = 0;
    const told = new Promise<boolean>((resolve) => {
      const ask = () => {
        asked =
          video.requestVideoFrameCallback?.((_, { mediaTime }) => {
            if (Math.abs(mediaTime - startMs / 1000) < INSIDE_S) resolve(true);
            // On the way there it may still be the one before.
            else if (video.seeking) ask();
            else resolve(false);
          }) ?? 0;
      };
      ask();
    });
    return [told, () => video.cancelVideoFrameCallback?.(asked)];
  }

  /** @throws the signal's reason; an Error when the element can't decode what it was given */
  async #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isSo()) {
      signal.throwIfAborted();
      if (this.#isBroken) throw new Error('The picture could not be decoded');
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
