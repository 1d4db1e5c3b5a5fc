import { GopProfile } from './gop-profile.ts';
import { RunningLevel } from './running-level.ts';

/** The properties of a coded frame that the detector uses. */
export interface FrameSize {
  /** Decode time, ms since the epoch. */
  readonly timeMs: number;
  readonly bytes: number;
  readonly isKey: boolean;
  /** Shown before a frame that was decoded before it: a B-frame, whose size follows its own pattern. */
  readonly isReordered: boolean;
}

/** One motion event. */
export interface MotionEvent {
  /** Ms since the epoch. */
  readonly startMs: number;
  /** For an open event: until when motion was seen so far. */
  readonly endMs: number;
  /** Ratio of the inter frames' size to their usual size at the peak. */
  readonly score: number;
  /** It continues: the same start will be reported again with a later end. */
  readonly isOpen: boolean;
  /**
   * It has just begun, and may turn out to be none: then it is reported once more, as tentative and not open. For those who
   * must know early; it is not recorded.
   */
  readonly isTentative?: true;
}

/** Sizes are averaged over steps of this length, ms. */
const stepMs = 500;
/** The median of this many steps is used: a flash or a lost packet affects no more than two. */
const windowSteps = 5;
/**
 * Evidence grows by a step's height above the level, in scatters, less the allowance, and opens an event at the
 * bound: strong motion within two seconds, weak motion when it lasts. An event continues while steps are above
 * the stay bound.
 */
const allowance = 1.3;
const mostPerStep = 5;
const openEvidence = 10;
const stayScatters = 1.5;
/** In octaves of size, whatever the scatter: 10 % more is not motion. */
const minRise = 0.14;
const minScatter = 0.025;
/** Nothing is reported before this much of a new scene was seen, ms. */
const learnMs = 15_000;
/** The same after a source returns with the same scene, ms. */
const settleMs = 4_000;
/** A pause in motion shorter than this does not end the event, ms. */
const holdMs = 4_000;
/** Shorter events are not reported, ms. */
const minEventMs = 1_000;
/** An event open for this long is reported before its end, and again each time it has grown by as much, ms. */
const noticeMs = 20_000;
/**
 * A rise of this many octaves, most of it within a second, that then stays flat for this long is the camera
 * switching its gain or its lamp: moving objects enter gradually and are uneven.
 */
const switchRise = 1.5;
const switchShare = 0.8;
const switchMs = 15_000;
/** After this long in an event the scene is assumed to have changed permanently, ms. */
const absorbAfterMs = 60_000;
/**
 * Weights of one step: the level follows the scene in half a minute, faster when the scene calms down, hardly
 * at all during an event.
 */
const followWeight = 1 / 60;
const calmWeight = 1 / 20;
const calmScatters = 5;
const eventWeight = 1 / 120;

interface SizeStep {
  readonly startMs: number;
  /** Mean size of its inter frames in octaves, without the pattern of the GOP. */
  readonly size: number;
}

/** Evidence being accumulated, since the first step that rose. */
interface Rise {
  readonly startMs: number;
  /** The largest difference between two steps with one between them, octaves. */
  jump: number;
  evidence: number;
}

interface OpenEvent {
  readonly startMs: number;
  readonly jump: number;
  endMs: number;
  /** Height above the level, octaves. */
  peak: number;
  /** Held until it is clear whether this is a switch. */
  values: number[] | undefined;
  /** The end reported last; undefined before the first report. */
  toldEndMs: number | undefined;
}

/**
 * Detects motion from the sizes of coded frames: moving content cannot be predicted from the previous frame and
 * costs bits. A frame's size is compared with what this scene usually costs at this position in the GOP. Method
 * and figures: design/motion.md.
 */
export class MotionDetector {
  readonly #onEvent: (event: MotionEvent) => void;
  readonly #profile = new GopProfile();
  readonly #activity = new RunningLevel(minScatter);
  #window: SizeStep[] = [];
  #position = 0;
  #sum = { startMs: 0, octaves: 0, frames: 0 };
  #quietUntilMs: number | undefined;
  #rise: Rise | undefined;
  #event: OpenEvent | undefined;

  constructor(onEvent: (event: MotionEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Takes the next frame in decode order. */
  frame(frame: FrameSize): void {
    this.#quietUntilMs ??= frame.timeMs + learnMs;
    if (frame.isKey) {
      // The size of a key frame reflects the scene's detail, not its motion.
      this.#position = 0;
      return;
    }
    this.#position++;
    if (this.#sum.frames > 0 && frame.timeMs - this.#sum.startMs >= stepMs) this.#endStep(frame.timeMs);
    if (this.#sum.frames === 0) this.#sum.startMs = frame.timeMs;
    const octaves = Math.log2(frame.bytes + 64);
    const size = octaves - this.#profile.offset(this.#position, frame.isReordered);
    this.#sum.octaves += size;
    this.#sum.frames++;
    // While something moves the pattern is not that of the scene.
    if (!this.#event && this.#activity.seen > 0) {
      this.#profile.learn(this.#position, frame.isReordered, size - this.#activity.level);
    }
  }

  /** Frames are missing or stop: an open event ends, what was learnt about the scene stays. */
  interrupt(): void {
    this.#close();
    this.#rise = undefined;
    this.#window = [];
    this.#sum = { startMs: 0, octaves: 0, frames: 0 };
    this.#position = 0;
  }

  /**
   * The source has returned with the same scene, from `timeMs` on; the size of its first frames is due to the
   * encoder, not the scene.
   */
  resume(timeMs: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs ?? timeMs + learnMs, timeMs + settleMs);
  }

  #endStep(endMs: number): void {
    const { startMs, octaves, frames } = this.#sum;
    this.#sum = { startMs: endMs, octaves: 0, frames: 0 };
    this.#window.push({ startMs, size: octaves / frames });
    if (this.#window.length < windowSteps) return;
    if (this.#window.length > windowSteps) this.#window.shift();
    const value = median(this.#window.map(({ size }) => size));
    if (this.#event) this.#goOn(this.#event, value, endMs);
    else this.#lookOut(value, endMs);
  }

  #lookOut(value: number, endMs: number): void {
    const activity = this.#activity;
    const above = activity.distance(value);
    if (endMs >= (this.#quietUntilMs ?? 0)) this.#weigh(value - activity.level >= minRise ? above : 0);
    const rise = this.#rise;
    if (rise && rise.evidence >= openEvidence) {
      this.#rise = undefined;
      const peak = value - activity.level;
      this.#event = { ...rise, endMs, peak, values: [], toldEndMs: undefined };
      this.#onEvent({ ...told(this.#event, true), isTentative: true });
      return;
    }
    // Motion only ever adds to the size: values far below show that the level is not the scene's.
    if (above < -calmScatters) activity.restart(value);
    else activity.add(value, above < -1 ? calmWeight : followWeight);
  }

  #weigh(above: number): void {
    const gained = Math.min(mostPerStep, above) - allowance;
    // Over two: the step in which the switch falls is a mean of both sides.
    const jumps = this.#window.map(({ size }, at, steps) => size - (steps[at - 2]?.size ?? size));
    const jump = Math.max(...jumps);
    if (this.#rise) {
      this.#rise.evidence += gained;
      this.#rise.jump = Math.max(this.#rise.jump, jump);
      if (this.#rise.evidence <= 0) this.#rise = undefined;
    } else if (gained > 0) {
      const bound = this.#stayBound();
      const first = this.#window.find(({ size }) => size >= bound);
      this.#rise = { startMs: first?.startMs ?? 0, jump, evidence: gained };
    }
  }

  #stayBound(): number {
    return this.#activity.level + Math.max(minRise, stayScatters * this.#activity.scatter);
  }

  #goOn(event: OpenEvent, value: number, endMs: number): void {
    const activity = this.#activity;
    const bound = this.#stayBound();
    const steps = this.#window;
    if (value >= bound) {
      event.peak = Math.max(event.peak, value - activity.level);
      const newest = steps.findLastIndex(({ size }) => size >= bound);
      event.endMs = Math.max(event.endMs, steps[newest + 1]?.startMs ?? endMs);
    }
    event.values?.push(value);
    if (event.values && endMs - event.startMs >= switchMs) {
      if (this.#isSwitch(event.jump, event.values)) {
        this.#event = undefined;
        this.#onEvent({ ...told(event, false), isTentative: true });
        activity.restart(value);
        this.#quietUntilMs = endMs + settleMs;
        return;
      }
      event.values = undefined;
    }
    if (endMs - event.startMs > absorbAfterMs) activity.restart(value);
    else activity.follow(value, eventWeight);
    if (endMs - event.endMs > holdMs) this.#close();
    else if (event.endMs - (event.toldEndMs ?? event.startMs) >= noticeMs) {
      event.toldEndMs = event.endMs;
      this.#onEvent(told(event, true));
    }
  }

  #isSwitch(jump: number, values: readonly number[]): boolean {
    const { level, scatter } = this.#activity;
    const height = median(values);
    const uneven = 1.48 * median(values.map((value) => Math.abs(value - height)));
    const rise = height - level;
    const slack = Math.max(1.5 * scatter, rise / 10);
    return rise >= switchRise && jump >= switchShare * rise && uneven <= slack;
  }

  #close(): void {
    const event = this.#event;
    this.#event = undefined;
    if (!event) return;
    const isEvent = event.toldEndMs !== undefined || event.endMs - event.startMs >= minEventMs;
    this.#onEvent({ ...told(event, false), ...(!isEvent && { isTentative: true }) });
  }
}

function told({ startMs, endMs, peak }: OpenEvent, isOpen: boolean): MotionEvent {
  return { startMs, endMs, score: 2 ** peak, isOpen };
}

/** The median; of an even number of values the upper of the two. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
