/**
 * Maps the clock of a source to UTC. Rules, each with its reason:
 *
 * 1. The machine's wall clock is read once per connection (`runClock`, `utcMs`); after that the monotonic clock counts on.
 *    What a wall clock does meanwhile that is set forwards or back is for the attempt to follow (`wall-clock-offset.ts`).
 * 2. Times follow the source's own clock, which knows better than the network when a picture was taken; only its
 *    distance to UTC is ours. The distance is that of the quickest packets of late, since jitter only ever delays.
 * 3. A sender report (RTCP) gives the distance instead when it agrees with the arrivals: several cameras with synchronised
 *    clocks are then recorded in step, and audio stays with the picture. One that disagrees still ties sound to picture.
 * 4. The distance is corrected slowly, and only when it is clearly wrong, so that frames keep their even lengths. A first
 *    packet that was held up puts all after it into the future, which is certainly wrong, and is mended more quickly.
 * 5. A jump of the source's clock begins anew at the time of arrival, never before what was given out already.
 * 6. A source's clock that runs fast or slow is measured against the arrivals, and its times are divided by its speed. Until
 *    it is known, and in a burst of old frames at the start, the correction grows with the distance: what is given out is dated
 *    at most `maxAheadMs` after its arrival, whatever a source claims.
 */
import { msToTicks, rescaleTicks } from '@vidette/media/time';
import type { Clock } from '../base/clock.ts';

/** Corrections begin above this distance from the truth, ms: below, eye and ear notice nothing, */
const slewAboveMs = 20;
/** and go on down to this, ms. */
const slewUntilMs = 1;
/** Correction per elapsed time: ordinarily, */
const slewRate = 0.01;
/** when more than `farMs` are missing, */
const farSlewRate = 0.05;
const farMs = 1000;
/** and while frames lie more than `aheadMs` after the moment they arrive: nothing is recorded in the future for long. */
const aheadSlewRate = 0.1;
const aheadMs = 100;
/** More than this ahead the correction grows with the distance, up to all but a fiftieth at `maxAheadMs`: */
const farAheadMs = 500;
const mostSlewRate = 0.98;
/** Nothing is dated later than this after its arrival, ms. */
export const maxAheadMs = 2000;
/** What is later than this, after the quickest arrivals of late, is drawn back so fast: */
const farBehindMs = 2000;
const farBehindSlewRate = 0.5;
/** A time stamp this far ahead of what has arrived, after such a step, is a jump, ms. */
const jumpAheadMs = 3000;
/** A step back this large is a jump: reordered frames (B-frames) go back less, ms. */
const jumpBackMs = 1500;
/** No decoder reorders more frames than this; smaller steps back that last longer are jumps, too. */
const maxReordered = 17;
/** The whole window of arrivals this late means that the source's clock stood still, ms. */
const standstillMs = 10_000;
/** Arrivals of the last one or two windows count, ms. */
const windowMs = 15_000;
/** A report is believed when it puts the capture at most so long before the quickest arrival, ms, */
const maxTransitMs = 2000;
/** or so little after it, ms. */
const maxLeadMs = 250;
/** The sender's wall clock was set when two reports differ by more, ms. */
const reportStepMs = 500;

const anchors = new WeakMap<Clock, number>();

/** The same clock with a reading of the wall clock of its own: for one connection to a source. */
export function runClock(clock: Clock): Clock {
  return {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    every: (periodMs, run) => clock.every(periodMs, run),
    random: () => clock.random(),
  };
}

/**
 * UTC in milliseconds, by the wall clock as it was when this clock was first asked, and the monotonic clock since.
 * Fractions are kept.
 */
export function utcMs(clock: Clock): number {
  const monotonicMs = clock.monotonicMs();
  let anchor = anchors.get(clock);
  if (anchor === undefined) {
    anchor = clock.wallMs() - monotonicMs;
    anchors.set(clock, anchor);
  }
  return anchor + monotonicMs;
}

/** The tracks of one connection to one source, whose clocks are tied to each other by reports. */
export class SourceTiming {
  readonly #tracks: TrackTiming[] = [];

  /**
   * The first track added leads: others follow it where sender reports tell how.
   *
   * @param sourceTimescale ticks per second of the source's clock
   * @param timescale ticks per second of the track
   */
  addTrack(sourceTimescale: number, timescale: number): TrackTiming {
    const track = new TrackTiming(sourceTimescale, timescale, this.#tracks[0], () => this.#forgetReports());
    this.#tracks.push(track);
    return track;
  }

  /** The sender's wall clock was set: what its older reports said about any track no longer goes together. */
  #forgetReports(): void {
    for (const track of this.#tracks) track.forgetReport();
  }
}

export class TrackTiming {
  /** How often the source's clock jumped. */
  jumps = 0;
  readonly #sourceTimescale: number;
  readonly #timescale: number;
  readonly #leader: TrackTiming | undefined;
  readonly #onWallStep: () => void;
  readonly #arrivals = new QuickestArrival();
  readonly #speed = new SourceSpeed();
  /** Where `sourceMs` of the present speed begins, by the source's clock and in ours. */
  #speedFromMs = 0;
  #speedBaseMs = 0;
  /** UTC less source time, ms; undefined before the first sample. */
  #offsetMs: number | undefined;
  /** The same, rounded to ticks, so that times differ exactly as the source's do while it stays. */
  #offsetTicks = 0;
  #isSlewing = false;
  #newestMs = 0;
  #behindCount = 0;
  /** Wall clock of the sender less source time, ms. */
  #reportMs: number | undefined;
  #lastTicks = Number.NEGATIVE_INFINITY;
  /** The latest time given out, ticks. */
  #latestTicks = Number.NEGATIVE_INFINITY;

  constructor(
    sourceTimescale: number,
    timescale: number,
    leader: TrackTiming | undefined,
    onWallStep: () => void,
  ) {
    this.#sourceTimescale = sourceTimescale;
    this.#timescale = timescale;
    this.#leader = leader;
    this.#onWallStep = onWallStep;
  }

  /**
   * A moment of the source in UTC, ticks of the track. May go back where the source does by less than a jump
   * (presentation times of reordered frames).
   *
   * @param sourceTicks unwrapped
   * @param arrivedMs `utcMs` when it arrived
   * @param recordedTicks how long what arrived with it took to record: so much older it is at least
   */
  map(sourceTicks: number, arrivedMs: number, recordedTicks = 0): number {
    const arrivalMs = arrivedMs - (recordedTicks * 1000) / this.#sourceTimescale;
    const rawMs = (sourceTicks * 1000) / this.#sourceTimescale;
    const sourceMs = this.#evenMs(rawMs);
    if (this.#offsetMs === undefined) this.#begin(sourceMs, arrivalMs);
    else this.#follow(sourceMs, arrivalMs, this.#offsetMs, rawMs);
    // Exact while the source's clock is right, so that frames keep their even lengths.
    const isExact = this.#speed.speed === 1 && this.#speedBaseMs === this.#speedFromMs;
    const ticks =
      (isExact
        ? rescaleTicks(sourceTicks, this.#sourceTimescale, this.#timescale)
        : msToTicks(this.#evenMs(rawMs), this.#timescale)) + this.#offsetTicks;
    if (ticks > this.#latestTicks) this.#latestTicks = ticks;
    return ticks;
  }

  /** As `map`, for times that must grow (decode times, sound): at least one tick more than the one before. */
  mapGrowing(sourceTicks: number, arrivedMs: number, recordedTicks = 0): number {
    this.#lastTicks = Math.max(this.map(sourceTicks, arrivedMs, recordedTicks), this.#lastTicks + 1);
    this.#latestTicks = Math.max(this.#latestTicks, this.#lastTicks);
    return this.#lastTicks;
  }

  /**
   * Takes a sender report.
   *
   * @param ntpMs the sender's wall clock, ms since 1970
   * @param sourceTicks the same moment on the source's clock, unwrapped
   */
  report(ntpMs: number, sourceTicks: number): void {
    const reportMs = ntpMs - this.#evenMs((sourceTicks * 1000) / this.#sourceTimescale);
    if (this.#reportMs !== undefined && Math.abs(reportMs - this.#reportMs) > reportStepMs)
      this.#onWallStep();
    this.#reportMs = reportMs;
  }

  forgetReport(): void {
    this.#reportMs = undefined;
  }

  /** The source's time divided by the speed of its clock, ms. */
  #evenMs(rawMs: number): number {
    return this.#speedBaseMs + (rawMs - this.#speedFromMs) / this.#speed.speed;
  }

  #begin(sourceMs: number, arrivalMs: number): void {
    this.#speed.restart();
    this.#newestMs = sourceMs;
    this.#behindCount = 0;
    this.#isSlewing = false;
    this.#arrivals.begin(arrivalMs - sourceMs, arrivalMs);
    this.#setOffset(this.#targetMs());
  }

  #follow(sourceMs: number, arrivalMs: number, offsetMs: number, rawMs: number): void {
    const stepMs = sourceMs - this.#newestMs;
    const isAhead = sourceMs + offsetMs - arrivalMs > jumpAheadMs && stepMs > jumpAheadMs;
    this.#behindCount = stepMs <= 0 ? this.#behindCount + 1 : 0;
    if (isAhead || stepMs < -jumpBackMs || this.#behindCount > maxReordered) {
      this.#jump(sourceMs, arrivalMs);
      return;
    }
    this.#arrivals.add(arrivalMs - sourceMs, arrivalMs);
    if (stepMs <= 0) return;
    this.#newestMs = sourceMs;
    if (this.#arrivals.windowFull && this.#arrivals.offsetMs - offsetMs > standstillMs) {
      this.#jump(sourceMs, arrivalMs);
      return;
    }
    this.#slew(stepMs, offsetMs);
    const latestMs = arrivalMs + maxAheadMs - sourceMs;
    if (this.#offsetMs !== undefined && this.#offsetMs > latestMs) this.#setOffset(latestMs);
    const aheadMs = sourceMs + offsetMs - arrivalMs;
    const before = this.#speed.speed;
    if (this.#speed.measure(rawMs, arrivalMs, aheadMs)) this.#changeSpeed(rawMs, arrivalMs, before);
  }

  /** From here on the source's time is divided by another speed; what was given out stays. */
  #changeSpeed(rawMs: number, arrivalMs: number, before: number): void {
    const sourceMs = this.#speedBaseMs + (rawMs - this.#speedFromMs) / before;
    this.#speedFromMs = rawMs;
    this.#speedBaseMs = sourceMs;
    this.#newestMs = sourceMs;
    this.#reportMs = undefined;
    this.#arrivals.begin(arrivalMs - sourceMs, arrivalMs);
  }

  /** Begins anew at the time of arrival, yet after everything given out. */
  #jump(sourceMs: number, arrivalMs: number): void {
    this.jumps++;
    this.#reportMs = undefined;
    const earliestMs = ((this.#latestTicks + 1) * 1000) / this.#timescale;
    const atMs = Math.max(arrivalMs, earliestMs);
    this.#begin(sourceMs, arrivalMs);
    this.#setOffset(atMs - sourceMs);
  }

  #slew(elapsedMs: number, offsetMs: number): void {
    const errorMs = this.#targetMs() - offsetMs;
    const distanceMs = Math.abs(errorMs);
    if (this.#isSlewing ? distanceMs <= slewUntilMs : distanceMs <= slewAboveMs) {
      this.#isSlewing = false;
      return;
    }
    this.#isSlewing = true;
    const most = elapsedMs * this.#slewRate(offsetMs, distanceMs);
    this.#setOffset(offsetMs + Math.sign(errorMs) * Math.min(distanceMs, most));
  }

  #slewRate(offsetMs: number, distanceMs: number): number {
    const tooFarMs = offsetMs - this.#arrivals.offsetMs;
    if (tooFarMs > farAheadMs) {
      const share = Math.min(1, (tooFarMs - farAheadMs) / (maxAheadMs - farAheadMs));
      return aheadSlewRate + share * (mostSlewRate - aheadSlewRate);
    }
    if (tooFarMs > aheadMs) return aheadSlewRate;
    if (distanceMs > farBehindMs) return farBehindSlewRate;
    return distanceMs > farMs ? farSlewRate : slewRate;
  }

  #setOffset(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#offsetTicks = msToTicks(offsetMs, this.#timescale);
  }

  /** Where the offset should be by all that is known. */
  #targetMs(): number {
    const arrivalMs = this.#arrivals.offsetMs;
    const candidateMs = this.#reportedMs();
    if (candidateMs === undefined) return arrivalMs;
    const transitMs = arrivalMs - candidateMs;
    return transitMs >= -maxLeadMs && transitMs <= maxTransitMs ? candidateMs : arrivalMs;
  }

  /** The offset by the reports: as far from the leader's as the sender says, or else the sender's own UTC. */
  #reportedMs(): number | undefined {
    const leader = this.#leader;
    const reportMs = this.#reportMs;
    if (reportMs === undefined || !leader) return reportMs;
    if (leader.#reportMs === undefined || leader.#offsetMs === undefined) return reportMs;
    return reportMs - leader.#reportMs + leader.#offsetMs;
  }
}

/** The speed of a clock is measured over so long, ms of arrival, */
const speedWindowMs = 2000;
/** so often in a row, */
const speedWindows = 3;
/** when it is this far from what it was taken for, and the measurements are as close to each other. */
const speedTolerance = 0.03;
/** Slower than taken for counts only when so much has been lost already, ms: a slow network looks the same for a while; */
const slowLateMs = 1000;
/** faster only when nothing is being made up for. */
const fastLateMs = 200;

/** The quickest packet of a window. */
interface SpeedMark {
  readonly rawMs: number;
  readonly arrivalMs: number;
  readonly aheadMs: number;
}

/**
 * How fast the clock of a source runs: 1 for all but broken ones. Compares the quickest packets of windows that follow each
 * other, so that jitter, bursts and a connection that stalls and catches up do not count.
 */
class SourceSpeed {
  /** Source time for each of ours. */
  speed = 1;
  #windowStartMs: number | undefined;
  #quickest: SpeedMark | undefined;
  #marks: SpeedMark[] = [];

  /** The clock jumped: what was measured before says nothing about what follows. */
  restart(): void {
    this.#windowStartMs = undefined;
    this.#quickest = undefined;
    this.#marks = [];
  }

  /**
   * Takes a packet that is newer than all before.
   *
   * @param aheadMs by how much it is dated after its arrival
   * @returns whether `speed` has changed
   */
  measure(rawMs: number, arrivalMs: number, aheadMs: number): boolean {
    this.#windowStartMs ??= arrivalMs;
    if (arrivalMs - this.#windowStartMs >= speedWindowMs && this.#quickest) {
      this.#marks.push(this.#quickest);
      if (this.#marks.length > speedWindows + 1) this.#marks.shift();
      this.#quickest = undefined;
      this.#windowStartMs = arrivalMs;
      if (this.#decide()) {
        this.restart();
        return true;
      }
    }
    const isQuicker = !this.#quickest || arrivalMs - rawMs <= this.#quickest.arrivalMs - this.#quickest.rawMs;
    if (isQuicker) this.#quickest = { rawMs, arrivalMs, aheadMs };
    return false;
  }

  #decide(): boolean {
    const [first, ...rest] = this.#marks;
    const last = rest.at(-1);
    if (!first || !last || rest.length < speedWindows) return false;
    const measured = (last.rawMs - first.rawMs) / (last.arrivalMs - first.arrivalMs);
    const change = measured / this.speed;
    if (Math.abs(change - 1) <= speedTolerance) return false;
    const isMadeUp = this.#marks.some(({ aheadMs }) => aheadMs < -fastLateMs);
    if (change < 1 ? last.aheadMs > -slowLateMs : isMadeUp) return false;
    const isSteady = rest.every((mark, index) => {
      const before = this.#marks[index];
      if (!before) return false;
      const speed = (mark.rawMs - before.rawMs) / (mark.arrivalMs - before.arrivalMs);
      return Math.abs(speed / measured - 1) <= speedTolerance;
    });
    if (!isSteady || measured <= 0) return false;
    this.speed = Math.abs(measured - 1) <= speedTolerance ? 1 : measured;
    return true;
  }
}

/** The smallest distance of arrival from source time in the newest one to two windows. */
class QuickestArrival {
  #currentMs = Number.POSITIVE_INFINITY;
  #previousMs = Number.POSITIVE_INFINITY;
  #windowStartMs = 0;

  begin(offsetMs: number, arrivalMs: number): void {
    this.#currentMs = offsetMs;
    this.#previousMs = Number.POSITIVE_INFINITY;
    this.#windowStartMs = arrivalMs;
  }

  add(offsetMs: number, arrivalMs: number): void {
    if (arrivalMs - this.#windowStartMs >= windowMs) {
      this.#previousMs = this.#currentMs;
      this.#currentMs = offsetMs;
      this.#windowStartMs = arrivalMs;
    } else if (offsetMs < this.#currentMs) {
      this.#currentMs = offsetMs;
    }
  }

  get offsetMs(): number {
    return Math.min(this.#currentMs, this.#previousMs);
  }

  /** A whole window lies behind. */
  get windowFull(): boolean {
    return this.#previousMs !== Number.POSITIVE_INFINITY;
  }
}
