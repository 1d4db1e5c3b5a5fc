import { browserClock } from '../../../base/clock.ts';
import { ArchiveAccess } from '../../../playback/archive-access.ts';
import type { StillSource } from '../../../playback/key-frame-stills.ts';
import { browserMse } from '../../../playback/media-sink.ts';
import { intervalsOf, joined, type Interval } from '../../../timeline/intervals.ts';
import { streamStills } from '../media/stills.ts';
import { coarseCallOf, streamRanges } from '../media/stream-ranges.ts';
import { streamSource } from '../media/stream-source.ts';
import type { RecordedMoments } from './moment-finder.ts';
import { withContext, type Region } from './region.ts';

/** A key frame, or the part of it that is searched. */
export interface FoundFrame {
  readonly utcMs: number;
  /** Undefined when it can't be loaded. */
  readonly image: ImageBitmap | undefined;
}

/** Widths of the frames, pixels: one to draw on, and those to choose from. */
const WHOLE_PX = 1280;
const PART_PX = 400;
/** Longest request for coarse ranges. */
const COARSE_MAX_MS = 30 * 86_400_000;
/** Starts are rounded to ms: this far behind one is surely inside its GOP. */
const INSIDE_MS = 1;
/** Key frames that are fetched while one is decoded. */
const AHEAD = 4;

/** The archive of one stream as a search reads it. The creator disposes of it. */
export class FindSession implements RecordedMoments {
  readonly #uid: string;
  readonly #rangesMaxMs: number;
  readonly #access: ArchiveAccess;
  readonly #stills: StillSource;

  /** @param rangesMaxMs longest request for ranges without a resolution */
  constructor(uid: string, rangesMaxMs: number) {
    this.#uid = uid;
    this.#rangesMaxMs = rangesMaxMs;
    // What is missing is said by the requests of the search itself.
    const ranges = streamRanges(uid, { rangesMaxMs, onError: () => {} });
    this.#access = new ArchiveAccess(streamSource(uid, ranges), browserClock);
    this.#stills = streamStills(uid, this.#access, browserMse());
  }

  async ranges(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly Interval[]> {
    const call = coarseCallOf(this.#uid);
    const found: Interval[] = [];
    for (let fromMs = startMs; fromMs < endMs; fromMs += COARSE_MAX_MS) {
      const toMs = Math.min(endMs, fromMs + COARSE_MAX_MS);
      const resolutionSeconds = Math.max(1, Math.ceil((toMs - fromMs) / this.#rangesMaxMs));
      found.push(...intervalsOf(await call(fromMs, toMs, resolutionSeconds, signal), fromMs, toMs));
    }
    return joined(found).filter(({ kind }) => kind !== 'gap');
  }

  async gopAt(utcMs: number, signal: AbortSignal): Promise<number | undefined> {
    const fragment = await this.#access.fragments.before(utcMs + 1, signal);
    return fragment && Math.round(fragment.startMs);
  }

  async gops(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly number[]> {
    const fragments = await this.#access.source.playlist(startMs, endMs, signal);
    return fragments.map((fragment) => Math.round(fragment.startMs));
  }

  /** One whole frame, to draw a region on. */
  async whole(utcMs: number, signal: AbortSignal): Promise<FoundFrame> {
    return this.#frame(utcMs, undefined, WHOLE_PX, signal);
  }

  /**
   * Loads the key frames of some moments, in their order. Calls back with each as soon as it is decoded.
   * @throws the signal's reason
   */
  async load(
    momentsMs: readonly number[],
    region: Region | undefined,
    signal: AbortSignal,
    onFrame: (frame: FoundFrame) => void,
  ): Promise<void> {
    const ahead = (place: number) => {
      const utcMs = momentsMs[place];
      if (utcMs !== undefined) void this.#fetch(utcMs, signal);
    };
    for (let place = 0; place < AHEAD; place++) ahead(place);
    for (const [place, utcMs] of momentsMs.entries()) {
      ahead(place + AHEAD);
      onFrame(await this.#frame(utcMs, region, PART_PX, signal));
    }
  }

  /** Idempotent. */
  dispose(): void {
    this.#stills.dispose();
  }

  /** Fetches a key frame into the cache from which it is decoded. */
  async #fetch(utcMs: number, signal: AbortSignal): Promise<void> {
    try {
      const fragment = await this.#access.fragments.at(utcMs + INSIDE_MS, signal);
      if (fragment) await this.#access.keys.of(fragment, signal);
    } catch {
      // Decoding requests it again, and reports why it fails.
    }
  }

  async #frame(
    utcMs: number,
    region: Region | undefined,
    widthPx: number,
    signal: AbortSignal,
  ): Promise<FoundFrame> {
    try {
      const still = await this.#stills.at(utcMs + INSIDE_MS, signal);
      signal.throwIfAborted();
      return { utcMs, image: still && (await bitmapOf(still.image, region, widthPx)) };
    } catch {
      signal.throwIfAborted();
      // One frame that can't be read, for example from a node that is away, doesn't end the search.
      return { utcMs, image: undefined };
    }
  }
}

async function bitmapOf(
  image: CanvasImageSource,
  region: Region | undefined,
  widthPx: number,
): Promise<ImageBitmap | undefined> {
  const [width, height] =
    image instanceof HTMLVideoElement
      ? [image.videoWidth, image.videoHeight]
      : image instanceof ImageBitmap
        ? [image.width, image.height]
        : [0, 0];
  if (width === 0 || height === 0) return undefined;
  const part = region ? withContext(region) : { left: 0, top: 0, width: 1, height: 1 };
  const partWidth = Math.max(1, Math.round(part.width * width));
  return createImageBitmap(
    image as ImageBitmapSource,
    Math.round(part.left * width),
    Math.round(part.top * height),
    partWidth,
    Math.max(1, Math.round(part.height * height)),
    { resizeWidth: Math.min(partWidth, widthPx) },
  );
}
