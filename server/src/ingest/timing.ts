/**
 * Maps the clock of a source to UTC. Rules, each with its reason:
 *
 * 1. The machine's wall clock is read once per connection (`runClock`, `utcMs`); after that the monotonic clock counts on.
 *    The attempt follows later changes of the wall clock (`wall-clock-offset.ts`).
 * 2. Times follow the source's own clock, which knows better than the network when a frame was captured; only
 *   its offset to UTC is ours. The offset is that of the fastest recent packets, since jitter only ever delays.
 * 3. A sender report (RTCP) gives the offset instead when it agrees with the arrivals: several cameras with
 *    synchronised clocks are then recorded in sync, and audio stays in sync with the video. One that disagrees
 *    still ties audio to video.
 * 4. The offset is corrected slowly, and only when it is clearly wrong, so that frames keep even durations. A
 *   delayed first packet dates all later ones in the future, which is certainly wrong, and is corrected faster.
 * 5. A jump of the source's clock restarts at the time of arrival, never before times already emitted.
 * 6. A source's clock that runs fast or slow is measured against the arrivals, and its times are divided by its
 *   speed. Until it is known, and in a burst of old frames at the start, the correction grows with the error: a
 *   sample is dated at most `maxAheadMs` after its arrival, whatever a source claims.
 */
import { msToTicks, rescaleTicks } from '@vidette/media/time';
import { wallOffsetMs, type Clock } from '../base/clock.ts';

/** Corrections begin above this error, ms, because smaller ones are not perceptible... */
const slewAboveMs = 20;
/** ...and continue down to this error, ms. */
const slewUntilMs = 1;
/** Correction per elapsed time: normally... */
const slewRate = 0.01;
/** ...when the error is above `farMs`... */
const farSlewRate = 0.05;
const farMs = 1000;
/**
 * ...and while frames are dated more than `aheadMs` after their arrival: nothing must be recorded in the future
 * for long.
 */
const aheadSlewRate = 0.1;
const aheadMs = 100;
/** Beyond this lead the correction increases with it, up to all but a fiftieth at `maxAheadMs`. */
const farAheadMs = 500;
const mostSlewRate = 0.98;
/** Nothing is dated later than this after its arrival, ms. */
export const maxAheadMs = 2000;
/** A sample later than this, relative to the fastest recent arrivals, is corrected at this rate: */
const farBehindMs = 2000;
const farBehindSlewRate = 0.5;
/** A timestamp this far ahead of the arrivals, after such a step, is a jump, ms. */
const jumpAheadMs = 3000;
/** A step back this large is a jump: reordered frames (B-frames) go back less, ms. */
const jumpBackMs = 1500;
/** No decoder reorders more frames than this; smaller steps back that last longer are also jumps. */
const maxReordered = 17;
/** If a whole window of arrivals is this late, the source's clock has stopped, ms. */
const standstillMs = 10_000;
/** Arrivals of the last one or two windows count, ms. */
const windowMs = 15_000;
/** A report is trusted if it dates the capture at most this long before the fastest arrival, ms... */
const maxTransitMs = 2000;
/** ...or this little after it, ms. */
const maxLeadMs = 250;
/** If two reports differ by more, the sender's wall clock was set, ms. */
const reportStepMs = 500;
/** After such a step the clock may be broken, standing still or jumping: this many reports have to agree. */
const reportsAfterStep = 2;

const anchors = new WeakMap<Clock, number>();

/** The same clock with its own reading of the wall clock, for one connection to a source. */
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
 * UTC in milliseconds, from the wall clock at the first reading and the monotonic clock since.
 * Fractions are kept.
 */
export function utcMs(clock: Clock): number {
  let anchor = anchors.get(clock);
  if (anchor === undefined) {
    anchor = wallOffsetMs(clock);
    anchors.set(clock, anchor);
  }
  return anchor + clock.monotonicMs();
}

/** The tracks of one connection to one source, whose clocks are tied to each other by sender reports. */
export class SourceTiming {
  readonly #tracks: TrackTiming[] = [];

  /**
   * The first track added is the leader: others follow it as sender reports allow.
   * @param sourceTimescale ticks per second of the source's clock
   * @param timescale ticks per second of the track
   */
  addTrack(sourceTimescale: number, timescale: number): TrackTiming {
    const track = new TrackTiming(sourceTimescale, timescale, this.#tracks[0], this);
    this.#tracks.push(track);
    return track;
  }

  /** A track is received but has no reports: by the reports of the others it would be out of sync with them. */
  get isReportMissing(): boolean {
    return this.#tracks.some((track) => track.isReportMissing);
  }

  /** The sender's wall clock was set: its older reports about the tracks are no longer consistent. */
  forgetReports(): void {
    for (const track of this.#tracks) track.forgetReport();
  }
}

export class TrackTiming {
  /** Number of jumps of the source's clock. */
  jumps = 0;
  readonly #timescale: number;
  readonly #leader: TrackTiming | undefined;
  readonly #source: SourceTiming;
  readonly #arrivals = new QuickestArrival();
  readonly #clock: SourceClock;
  readonly #offset: SlewedOffset;
  readonly #reports = new SenderReports();
  #newestMs = 0;
  #behindCount = 0;
  #lastTicks = Number.NEGATIVE_INFINITY;
  /** The latest emitted time, ticks. */
  #latestTicks = Number.NEGATIVE_INFINITY;

  constructor(
    sourceTimescale: number,
    timescale: number,
    leader: TrackTiming | undefined,
    source: SourceTiming,
  ) {
    this.#clock = new SourceClock(sourceTimescale);
    this.#offset = new SlewedOffset(timescale);
    this.#timescale = timescale;
    this.#leader = leader;
    this.#source = source;
  }

  /**
   * Maps a source time to UTC, ticks of the track. May go back where the source does by less than a jump
   * (presentation times of reordered frames).
   *
   * @param sourceTicks unwrapped
   * @param arrivedMs `utcMs` when it arrived
   * @param recordedTicks duration of the media that arrived with it: the sample is at least this much older
   */
  map(sourceTicks: number, arrivedMs: number, recordedTicks = 0): number {
    const arrivalMs = arrivedMs - this.#clock.rawMs(recordedTicks);
    const rawMs = this.#clock.rawMs(sourceTicks);
    const sourceMs = this.#clock.evenMs(rawMs);
    if (this.#offset.ms === undefined) this.#begin(sourceMs, arrivalMs);
    else this.#follow(sourceMs, arrivalMs, this.#offset.ms, rawMs);
    const ticks = this.#clock.ticks(sourceTicks, this.#timescale) + this.#offset.ticks;
    if (ticks > this.#latestTicks) this.#latestTicks = ticks;
    return ticks;
  }

  /**
   * As `map`, for times that must increase (decode times, audio): at least one tick more than the one before.
   */
  mapGrowing(sourceTicks: number, arrivedMs: number, recordedTicks = 0): number {
    this.#lastTicks = Math.max(this.map(sourceTicks, arrivedMs, recordedTicks), this.#lastTicks + 1);
    this.#latestTicks = Math.max(this.#latestTicks, this.#lastTicks);
    return this.#lastTicks;
  }

  /**
   * Takes a sender report.
   *
   * @param ntpMs the sender's wall clock, ms since 1970
   * @param sourceTicks the same time on the source's clock, unwrapped
   */
  report(ntpMs: number, sourceTicks: number): void {
    const reportMs = ntpMs - this.#clock.evenMs(this.#clock.rawMs(sourceTicks));
    if (!this.#reports.note(reportMs)) this.#source.forgetReports();
  }

  /** The reports contradict each other: from now on only those that agree with others count. */
  forgetReport(): void {
    this.#reports.contradict();
  }

  /** Received, but without reports. */
  get isReportMissing(): boolean {
    return this.#reports.offsetMs === undefined && this.#offset.ms !== undefined;
  }

  #begin(sourceMs: number, arrivalMs: number): void {
    this.#clock.restart();
    this.#newestMs = sourceMs;
    this.#behindCount = 0;
    this.#offset.isSlewing = false;
    this.#arrivals.begin(arrivalMs - sourceMs, arrivalMs);
    this.#offset.set(this.#targetMs());
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
    this.#offset.limit(arrivalMs + maxAheadMs - sourceMs);
    const aheadMs = sourceMs + offsetMs - arrivalMs;
    if (this.#clock.measure(rawMs, arrivalMs, aheadMs)) this.#beginSpeed(rawMs, arrivalMs);
  }

  /** From here on the source's time is divided by another speed; times already emitted don't change. */
  #beginSpeed(rawMs: number, arrivalMs: number): void {
    const sourceMs = this.#clock.evenMs(rawMs);
    this.#newestMs = sourceMs;
    this.#reports.forget();
    this.#arrivals.begin(arrivalMs - sourceMs, arrivalMs);
  }

  /** Restarts at the time of arrival, but after everything emitted. */
  #jump(sourceMs: number, arrivalMs: number): void {
    this.jumps++;
    this.#reports.forget();
    const earliestMs = ((this.#latestTicks + 1) * 1000) / this.#timescale;
    const atMs = Math.max(arrivalMs, earliestMs);
    this.#begin(sourceMs, arrivalMs);
    this.#offset.set(atMs - sourceMs);
  }

  #slew(elapsedMs: number, offsetMs: number): void {
    const errorMs = this.#targetMs() - offsetMs;
    if (this.#offset.isCloseEnough(Math.abs(errorMs))) return;
    this.#offset.approach(errorMs, elapsedMs * this.#slewRate(offsetMs, Math.abs(errorMs)));
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

  /** The best estimate of the offset. */
  #targetMs(): number {
    const arrivalMs = this.#arrivals.offsetMs;
    const candidateMs = this.#reportedMs();
    if (candidateMs === undefined) return arrivalMs;
    const transitMs = arrivalMs - candidateMs;
    return transitMs >= -maxLeadMs && transitMs <= maxTransitMs ? candidateMs : arrivalMs;
  }

  /**
   * The offset according to the reports: relative to the leader's as the sender reports; for the leader the
   * sender's own UTC, if all tracks have reports.
   */
  #reportedMs(): number | undefined {
    const leader = this.#leader;
    const reportMs = this.#reports.offsetMs;
    if (!leader && this.#source.isReportMissing) return undefined;
    if (reportMs === undefined || !leader) return reportMs;
    const leaderReportMs = leader.#reports.offsetMs;
    if (leaderReportMs === undefined || leader.#offset.ms === undefined) return undefined;
    return reportMs - leaderReportMs + leader.#offset.ms;
  }
}

/** UTC minus source time, corrected slowly. */
class SlewedOffset {
  /** Undefined before the first sample. */
  ms: number | undefined;
  /** The same, rounded to ticks, so that times differ exactly as the source's do while it is constant. */
  ticks = 0;
  isSlewing = false;
  readonly #timescale: number;

  /** @param timescale ticks per second of the track */
  constructor(timescale: number) {
    this.#timescale = timescale;
  }

  set(ms: number): void {
    this.ms = ms;
    this.ticks = msToTicks(ms, this.#timescale);
  }

  limit(latestMs: number): void {
    if (this.ms !== undefined && this.ms > latestMs) this.set(latestMs);
  }

  /** An error of this size needs no correction; one that is being corrected has to become smaller. */
  isCloseEnough(distanceMs: number): boolean {
    this.isSlewing = this.isSlewing ? distanceMs > slewUntilMs : distanceMs > slewAboveMs;
    return !this.isSlewing;
  }

  /** Corrects an error by at most this much. */
  approach(errorMs: number, mostMs: number): void {
    this.set((this.ms ?? 0) + Math.sign(errorMs) * Math.min(Math.abs(errorMs), mostMs));
  }
}

/** What the sender reports imply about a track's clock: the wall clock of the sender minus source time, ms. */
class SenderReports {
  /** From the newest trusted report. */
  offsetMs: number | undefined;
  /** From the newest report, trusted or not. */
  #newestMs: number | undefined;
  #agreeing = 0;
  /** A report is trusted after this many in a row that agree. */
  #wanted = 1;

  /** Takes a report. False if it contradicts the one before: the sender's wall clock was set. */
  note(reportMs: number): boolean {
    const before = this.#newestMs;
    this.#newestMs = reportMs;
    if (before !== undefined && Math.abs(reportMs - before) > reportStepMs) return false;
    this.#agreeing++;
    if (this.#agreeing >= this.#wanted) this.offsetMs = reportMs;
    return true;
  }

  /** Reports of the source contradict each other: from now on only those that agree with others count. */
  contradict(): void {
    this.offsetMs = undefined;
    this.#agreeing = 0;
    this.#wanted = reportsAfterStep;
  }

  /** The source's clock has changed: earlier reports say nothing about it. */
  forget(): void {
    this.offsetMs = undefined;
    this.#newestMs = undefined;
  }
}

/** The clock of a source in ms, divided by its speed if that is not 1. */
class SourceClock {
  readonly #timescale: number;
  readonly #speed = new SourceSpeed();
  /** Where the current speed starts, on the source's clock and on ours. */
  #fromMs = 0;
  #baseMs = 0;

  /** @param timescale ticks per second */
  constructor(timescale: number) {
    this.#timescale = timescale;
  }

  /** On the source's own clock. */
  rawMs(ticks: number): number {
    return (ticks * 1000) / this.#timescale;
  }

  /** The source's time divided by the speed of its clock, ms. */
  evenMs(rawMs: number): number {
    return this.#baseMs + (rawMs - this.#fromMs) / this.#speed.speed;
  }

  /** The same in ticks of a track; exact while the source's clock is right, so that frames keep even durations. */
  ticks(sourceTicks: number, timescale: number): number {
    const isExact = this.#speed.speed === 1 && this.#baseMs === this.#fromMs;
    return isExact
      ? rescaleTicks(sourceTicks, this.#timescale, timescale)
      : msToTicks(this.evenMs(this.rawMs(sourceTicks)), timescale);
  }

  /** The clock jumped: its speed is measured from scratch. */
  restart(): void {
    this.#speed.restart();
  }

  /** See `SourceSpeed.measure`; time continues from here at the new speed. */
  measure(rawMs: number, arrivalMs: number, aheadMs: number): boolean {
    const before = this.#speed.speed;
    if (!this.#speed.measure(rawMs, arrivalMs, aheadMs)) return false;
    this.#baseMs += (rawMs - this.#fromMs) / before;
    this.#fromMs = rawMs;
    return true;
  }
}

/** The speed of a clock is measured over this period, ms of arrival... */
const speedWindowMs = 2000;
/** ...this many times in succession... */
const speedWindows = 3;
/** ...if it differs this much from the assumed speed, and the measurements agree this closely. */
const speedTolerance = 0.03;
/** A slower clock is accepted only after this lag, ms, because a slow network looks the same for a while... */
const slowLateMs = 1000;
/** ...a faster one only if no lag is being caught up. */
const fastLateMs = 200;

/** The fastest packet of a window. */
interface SpeedMark {
  readonly rawMs: number;
  readonly arrivalMs: number;
  readonly aheadMs: number;
}

/**
 * Measures the speed of a source's clock: 1 for all but broken ones. Compares the fastest packets of
 * consecutive windows, so that jitter, bursts and a connection that stalls and catches up have no effect.
 */
class SourceSpeed {
  /** Source time per unit of our time. */
  speed = 1;
  #windowStartMs: number | undefined;
  #quickest: SpeedMark | undefined;
  #marks: SpeedMark[] = [];

  /** The clock jumped: earlier measurements are void. */
  restart(): void {
    this.#windowStartMs = undefined;
    this.#quickest = undefined;
    this.#marks = [];
  }

  /**
   * Adds a packet that is newer than all before.
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

/** The smallest difference between arrival and source time in the newest one to two windows. */
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

  /** A complete window has passed. */
  get windowFull(): boolean {
    return this.#previousMs !== Number.POSITIVE_INFINITY;
  }
}
