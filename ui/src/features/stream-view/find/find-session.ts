import { browserClock } from '../../../base/clock.ts';
import { ArchiveAccess } from '../../../playback/archive-access.ts';
import type { ArchiveSource } from '../../../playback/archive-source.ts';
import { browserMse } from '../../../playback/media-sink.ts';
import { intervalsOf, joined, type Interval } from '../../../timeline/intervals.ts';
import { streamStills } from '../media/stills.ts';
import { coarseCallOf, streamRanges } from '../media/stream-ranges.ts';
import { streamSource } from '../media/stream-source.ts';
import { FoundFragments } from './found-fragments.ts';
import type { RecordedMoments } from './moment-finder.ts';
import { withContext, type Region } from './region.ts';
import { StillPool } from './still-pool.ts';

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
/** Frames that are decoded simultaneously, each by an element of its own. */
const DECODERS = 3;
/** Key frames that are fetched simultaneously: a browser has six connections to a server. */
const FETCHES = 6;

/** The archive of one stream as a search reads it. The creator disposes of it. */
export class FindSession implements RecordedMoments {
  readonly #uid: string;
  readonly #rangesMaxMs: number;
  readonly #source: ArchiveSource;
  readonly #access: ArchiveAccess;
  readonly #fragments: FoundFragments;
  readonly #stills: StillPool;

  /** @param rangesMaxMs longest request for ranges without a resolution */
  constructor(uid: string, rangesMaxMs: number) {
    this.#uid = uid;
    this.#rangesMaxMs = rangesMaxMs;
    // What is missing is said by the requests of the search itself.
    const ranges = streamRanges(uid, { rangesMaxMs, onError: () => {} });
    this.#source = streamSource(uid, ranges);
    this.#fragments = new FoundFragments(this.#source, browserClock);
    this.#access = new ArchiveAccess(this.#source, browserClock, this.#fragments);
    this.#stills = new StillPool(
      Array.from({ length: DECODERS }, () => streamStills(uid, this.#access, browserMse())),
    );
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
    const fragment = await this.#fragments.before(utcMs + 1, signal);
    return fragment && Math.round(fragment.startMs);
  }

  async gops(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly number[]> {
    const fragments = await this.#fragments.between(startMs, endMs, signal);
    return fragments.map((fragment) => Math.round(fragment.startMs));
  }

  /**
   * One whole frame, to draw a region on. Where nothing is recorded, as with one of several cameras, it is the last one
   * before, or the first one of the archive.
   */
  async whole(utcMs: number, signal: AbortSignal): Promise<FoundFrame> {
    const shown = await this.#frame(utcMs, undefined, WHOLE_PX, signal);
    if (shown.image) return shown;
    const nearMs = await this.#near(utcMs, signal);
    return nearMs === undefined ? shown : this.#frame(nearMs, undefined, WHOLE_PX, signal);
  }

  /**
   * Loads the key frames of some moments, several simultaneously, the first ones first. Calls back with each as soon as
   * it is decoded.
   * @throws the signal's reason
   */
  async load(
    momentsMs: readonly number[],
    region: Region | undefined,
    signal: AbortSignal,
    onFrame: (frame: FoundFrame) => void,
  ): Promise<void> {
    const decoding: Promise<void>[] = [];
    const decode = async (utcMs: number) => onFrame(await this.#frame(utcMs, region, PART_PX, signal));
    const moments = momentsMs.values();
    const fetchInTurn = async () => {
      for (const utcMs of moments) {
        await this.#fetch(utcMs, signal);
        const decoded = decode(utcMs);
        // Awaited when all are fetched.
        decoded.catch(() => {});
        decoding.push(decoded);
      }
    };
    await Promise.all(Array.from({ length: FETCHES }, fetchInTurn));
    await Promise.all(decoding);
  }

  /** Idempotent. */
  dispose(): void {
    this.#stills.dispose();
  }

  /** A moment with a frame: the last one before `utcMs`, or the first one after it. */
  async #near(utcMs: number, signal: AbortSignal): Promise<number | undefined> {
    try {
      return (await this.gopAt(utcMs, signal)) ?? (await this.#source.nextPlayable(utcMs, signal))?.startMs;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
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
      const image = await this.#stills.use(async (stills) => {
        signal.throwIfAborted();
        const still = await stills.at(utcMs + INSIDE_MS, signal);
        signal.throwIfAborted();
        // The next one who uses the element draws something else on it.
        return still && bitmapOf(still.image, region, widthPx);
      });
      signal.throwIfAborted();
      return { utcMs, image };
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
