/**
 * Maps the clock of a source to UTC. Rules, each with its reason:
 *
 * 1. The machine's wall clock is read once per run (`utcMs`); after that the monotonic clock counts on. A wall clock that
 *    is set forwards or back never overwrites or reorders what is recorded.
 * 2. Times follow the source's own clock, which knows better than the network when a picture was taken; only its
 *    distance to UTC is ours. The distance is that of the quickest packets of late, since jitter only ever delays.
 * 3. A sender report (RTCP) gives the distance instead when it agrees with the arrivals: several cameras with synchronised
 *    clocks are then recorded in step, and sound stays with the picture. One that disagrees still ties sound to picture.
 * 4. The distance is corrected slowly, and only when it is clearly wrong, so that frames keep their even lengths. A first
 *    packet that was held up puts all after it into the future, which is certainly wrong, and is mended more quickly.
 * 5. A jump of the source's clock begins anew at the time of arrival, never before what was given out already.
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
/** and while pictures lie more than `aheadMs` after the moment they arrive: nothing is recorded in the future for long. */
const aheadSlewRate = 0.1;
const aheadMs = 100;
/** A time stamp this far ahead of what has arrived, after such a step, is a jump, ms. */
const jumpAheadMs = 3000;
/** A step back this large is a jump: reordered pictures (B-frames) go back less, ms. */
const jumpBackMs = 1500;
/** No decoder reorders more pictures than this; smaller steps back that last longer are jumps, too. */
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
   * (presentation times of reordered pictures).
   *
   * @param sourceTicks unwrapped
   * @param arrivalMs `utcMs` when it arrived
   */
  map(sourceTicks: number, arrivalMs: number): number {
    const sourceMs = (sourceTicks * 1000) / this.#sourceTimescale;
    if (this.#offsetMs === undefined) this.#begin(sourceMs, arrivalMs);
    else this.#follow(sourceMs, arrivalMs, this.#offsetMs);
    const ticks = rescaleTicks(sourceTicks, this.#sourceTimescale, this.#timescale) + this.#offsetTicks;
    if (ticks > this.#latestTicks) this.#latestTicks = ticks;
    return ticks;
  }

  /** As `map`, for times that must grow (decode times, sound): at least one tick more than the one before. */
  mapGrowing(sourceTicks: number, arrivalMs: number): number {
    this.#lastTicks = Math.max(this.map(sourceTicks, arrivalMs), this.#lastTicks + 1);
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
    const reportMs = ntpMs - (sourceTicks * 1000) / this.#sourceTimescale;
    if (this.#reportMs !== undefined && Math.abs(reportMs - this.#reportMs) > reportStepMs)
      this.#onWallStep();
    this.#reportMs = reportMs;
  }

  forgetReport(): void {
    this.#reportMs = undefined;
  }

  #begin(sourceMs: number, arrivalMs: number): void {
    this.#newestMs = sourceMs;
    this.#behindCount = 0;
    this.#isSlewing = false;
    this.#arrivals.begin(arrivalMs - sourceMs, arrivalMs);
    this.#setOffset(this.#targetMs());
  }

  #follow(sourceMs: number, arrivalMs: number, offsetMs: number): void {
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
    if (offsetMs - this.#arrivals.offsetMs > aheadMs) return aheadSlewRate;
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
