/**
 * Decode times for frames whose transport carries presentation times only, as RTP does.
 *
 * With a reorder depth of d, at most d pictures that precede a picture in decoding order are shown after it. So
 * when the n-th picture arrives, the (n - d)-th in presentation order has already arrived, and its presentation
 * time serves as the n-th decode time: strictly increasing, never after its own presentation, and known without
 * waiting. Without reordering decode and presentation times are the same.
 *
 * The depth is in the parameter set. If H.264 does not specify it, it is learnt from the picture order counts
 * (`output-order.ts`) or, where those fail, from a picture that arrives too late.
 */
import { ticksToMs } from '../time.ts';
import type { VideoTrack } from '../track.ts';
import { parseAvcC } from './avcc.ts';
import { parseH264Sps } from './h264-sps.ts';
import { parseH265Sps } from './h265-sps.ts';
import { parseHvcC } from './hvcc.ts';
import { OutputOrder } from './output-order.ts';

/** MaxDpbFrames: ITU-T H.264 clause A.3.1, H.265 clause A.4.2. */
const MAX_DEPTH = 16;
/** Times further apart than this belong to different runs of the camera's clock. */
const JUMP_MS = 5000;
/** The assumed frame duration before the first few frames, if the parameter set does not specify it. */
const ASSUMED_FRAME_SECONDS = 1 / 25;
const SHORTEST_FRAME_SECONDS = 1 / 240;
const LONGEST_FRAME_SECONDS = 1;
/**
 * Decode times that have to be inserted before a picture follow each other by half a millisecond: `MAX_DEPTH`
 * of them fit into a frame at 120 frames per second.
 */
const SQUEEZED_PER_SECOND = 2000;

export interface StampedTimes {
  /** Ticks; greater than every previous one. */
  readonly dts: number;
  /** Ticks; as given, or raised to `dts` if the picture arrived too late for its presentation time. */
  readonly pts: number;
}

export class DecodeTimes {
  #timescale: number;
  #frameTicks = 0;
  #depth = 0;
  #order: OutputOrder | undefined;
  /** The greatest presentation times so far, ascending. */
  #latest: number[] = [];
  #lastDts = Number.NEGATIVE_INFINITY;

  /** @throws MalformedError if the track's configuration cannot be read */
  constructor(track: VideoTrack) {
    this.#timescale = track.timescale;
    this.setTrack(track);
  }

  /**
   * Applies new parameter sets in mid-stream: decode times keep increasing.
   * @throws MalformedError if the track's configuration cannot be read
   */
  setTrack(track: VideoTrack): void {
    this.#timescale = track.timescale;
    const parameters = reorderParameters(track);
    this.#depth = parameters.depth;
    this.#order = parameters.order;
    const seconds = parameters.frameSeconds ?? 0;
    const isPlausible = seconds >= SHORTEST_FRAME_SECONDS && seconds <= LONGEST_FRAME_SECONDS;
    this.#frameTicks = Math.round((isPlausible ? seconds : ASSUMED_FRAME_SECONDS) * track.timescale);
  }

  /** `stamp` looks into the pictures. */
  get readsPictures(): boolean {
    return this.#order !== undefined;
  }

  /**
   * Timestamps the next picture in decoding order.
   * A forward jump is followed. A step back cannot be: decode times then keep increasing in the smallest steps
   * until the picture's own time is reached again, so code that maps the camera's clock must not step it back.
   * @param pts ticks since the epoch.
   * @param nals the NAL units of the picture, or at least its first slice; none are needed unless `readsPictures`.
   */
  stamp(pts: number, nals: readonly Uint8Array[]): StampedTimes {
    const newest = this.#latest.at(-1);
    if (newest !== undefined && Math.abs(ticksToMs(pts - newest, this.#timescale)) > JUMP_MS)
      this.#latest = [];
    this.#insert(pts);
    const notAfter = this.#order?.next(pts, nals);
    if (this.#order !== undefined) this.#depth = Math.max(this.#depth, this.#order.depth);
    const behind = this.#latest.length - 1 - this.#depth;
    const earliest = this.#latest[0] ?? pts;
    const natural = this.#latest[behind] ?? earliest + behind * this.#frameTicks;
    const step = Math.ceil(this.#timescale / SQUEEZED_PER_SECOND);
    const dts = Math.max(Math.min(natural, notAfter ?? natural), this.#lastDts + step);
    this.#lastDts = dts;
    if (dts <= pts) return { dts, pts };
    // Only a picture overtaken by fewer pictures than the buffer holds was reordered; a later one has another
    // cause.
    const overtakenBy = this.#latest.length - 1 - this.#latest.indexOf(pts);
    if (this.#latest.includes(pts) && overtakenBy > this.#depth)
      this.#depth = Math.min(overtakenBy, MAX_DEPTH);
    return { dts, pts: dts };
  }

  #insert(pts: number): void {
    let at = this.#latest.length;
    while (at > 0 && (this.#latest[at - 1] ?? 0) > pts) at--;
    if (at === this.#latest.length) this.#latest.push(pts);
    else this.#latest.splice(at, 0, pts);
    if (this.#latest.length > MAX_DEPTH + 1) this.#latest.shift();
  }
}

interface ReorderParameters {
  readonly depth: number;
  readonly order: OutputOrder | undefined;
  readonly frameSeconds: number | undefined;
}

function reorderParameters(track: VideoTrack): ReorderParameters {
  if (track.codec === 'h265') {
    const sps = parseH265Sps(firstOf(parseHvcC(track.config).sps));
    return { depth: sps.maxNumReorderPictures, order: undefined, frameSeconds: sps.frameSeconds };
  }
  const sps = parseH264Sps(firstOf(parseAvcC(track.config).sps));
  const isOpen = sps.maxNumReorderFrames === undefined && sps.picOrderCntType === 0;
  return {
    depth: sps.maxNumReorderFrames ?? 0,
    order: isOpen ? new OutputOrder(sps) : undefined,
    frameSeconds: sps.frameSeconds,
  };
}

/** The parsers of the records reject an empty list. */
function firstOf(parameterSets: readonly Uint8Array[]): Uint8Array {
  return parameterSets[0] ?? new Uint8Array();
}
