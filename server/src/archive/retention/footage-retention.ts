import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cancel } from '../../base/clock.ts';
import { systemCode, catalogMs, catalogTicks, RecordingFailure } from '../segments/segments.ts';
import type { HoldSource } from './held-footage.ts';
import { FootageClock, sameClockMs, type DatedSpan } from './footage-clock.ts';
import { LoweredDepths, undoMs } from './lowered-depths.ts';
import type { RetentionFacts } from './retention-state.ts';
import {
  SpaceReclaimer,
  type DiskShares,
  type EarlyDeletion,
  type Relieve,
  type SpaceRules,
  type SpaceReclaimerTools,
} from './space-reclaimer.ts';
import type { UndeletableSum } from './undeletable.ts';

/**
 * Hours of footage to keep of a stream; below 0: no limit; undefined: unknown, so nothing is deleted by age.
 */
export type DepthOf = (uid: string) => number | undefined;

export type RetentionRules = SpaceRules;

export interface RetentionTools extends SpaceReclaimerTools {
  /** The state stored by the previous run; undefined if there was none. */
  readonly facts: RetentionFacts | undefined;
  /** Last heartbeat of that run, ms since the epoch. */
  readonly lastSignMs: number | undefined;
  /**
   * Checks whether files may be deleted at all. @throws RecordingFailure, system errors: EROFS for a read-only
   * disk
   */
  assertDeletable(): Promise<void>;
  /** Never rejects. */
  keep(facts: RetentionFacts): Promise<void>;
}

/** The state of retention for operators. */
export interface RetentionStatus {
  /**
   * How far the wall clock is ahead of the time that the footage proves, if footage is kept because of it;
   * otherwise undefined.
   */
  readonly clockAheadMs: number | undefined;
  readonly undeletable: UndeletableSum | undefined;
  /** The error of the disk as a whole, as in EROFS; undefined while files can be deleted. */
  readonly refusal: string | undefined;
  readonly early: EarlyDeletion | undefined;
  readonly shares: DiskShares | undefined;
  readonly held: HeldStatus;
}

/** The footage that rules hold on this node. */
interface HeldStatus {
  readonly segments: number;
  readonly bytes: number;
}

/** Footage that a lower retention would delete, or will delete after the delay. */
export interface DepthLoss {
  readonly segments: number;
  readonly bytes: number;
  readonly durationMs: number;
}

/** A lowered retention that is not in effect yet. */
export interface PendingDepth {
  /** The retention in effect until then. */
  readonly inForceHours: number;
  readonly hours: number;
  readonly waitMs: number;
}

/**
 * The footage that a retention would delete, for the confirmation shown to a user; times in ms since the epoch.
 */
export interface RetentionLoss {
  /** Null: no lowered retention is pending. */
  readonly depthHours: number | null;
  /** Null: nothing is lost. */
  readonly fromTime: number | null;
  readonly untilTime: number | null;
  readonly durationMs: number;
  readonly bytes: number;
  /** None of it is deleted earlier. */
  readonly beginsAt: number | null;
  /**
   * Nodes that do not respond: the footage they recorded is not in these figures. Omitted if there are none.
   */
  readonly withoutNodes?: readonly string[];
}

/** Segments of a stream deleted per batch, so that a long backlog leaves the disk time for recording. */
const passSegments = 200;
const hourMs = 3_600_000;
/** Streams whose footage is looked at in one turn of the event loop. */
const streamsPerTurn = 100;
/** Interval at which the state is stored; it is also stored when it changes. */
const keepEveryMs = 60_000;
/** The wall clock may be ahead by this much without a warning. */
const aheadNoticeMs = 600_000;

/**
 * Deletes footage older than its stream's retention, then the oldest of all while the quota is exceeded or too
 * little space is free. Only closed segments with rows are deleted. `FootageClock` determines the age of
 * footage, `LoweredDepths` the retention in effect.
 */
export class Retention {
  readonly #tools: RetentionTools;
  readonly #spaceReclaimer: SpaceReclaimer;
  readonly #depths: LoweredDepths;
  readonly #startedMs: number;
  #footageClock: FootageClock;
  #rules: RetentionRules = { quotaBytes: null, remoteQuotaBytes: null, minFreeShare: 0, holdShare: 1 };
  #depthOf: DepthOf = () => undefined;
  #cancel: Cancel | undefined;
  #pass: Promise<void> | undefined;
  #lookedMs: number;
  #keptMs: number;
  #clockAheadMs: number | undefined;
  #refusal: string | undefined;

  constructor(tools: RetentionTools) {
    this.#tools = tools;
    this.#spaceReclaimer = new SpaceReclaimer(tools);
    this.#depths = new LoweredDepths(tools.facts?.depths);
    const { clock } = tools;
    this.#startedMs = clock.monotonicMs();
    this.#lookedMs = this.#startedMs;
    this.#keptMs = this.#startedMs;
    this.#footageClock = new FootageClock(clock.wallMs(), this.#startedMs, erasOf(tools));
  }

  /**
   * Sets other rules, another source of each stream's retention or of holds, or where footage can be moved; applies
   * from the next pass.
   */
  configure({
    depthOf,
    relieve,
    holds,
    ...rules
  }: Partial<RetentionRules> & { depthOf?: DepthOf; relieve?: Relieve; holds?: HoldSource }): void {
    this.#rules = { ...this.#rules, ...rules };
    if (holds) this.#tools.kept.held.readFrom(holds);
    if (depthOf) this.#depthOf = depthOf;
    if (relieve) this.#spaceReclaimer.relieveBy(relieve);
  }

  get status(): RetentionStatus {
    const { held, undeletable } = this.#tools.kept;
    return {
      clockAheadMs: this.#clockAheadMs,
      undeletable: undeletable.sum,
      refusal: this.#refusal,
      early: this.#spaceReclaimer.early,
      shares: this.#spaceReclaimer.shares,
      held: { segments: held.segments, bytes: held.bytes.local + held.bytes.remote },
    };
  }

  /**
   * The earliest possible current time, ms since the epoch, for data that is kept by age alongside the footage.
   */
  get cautiousNowMs(): number {
    this.#look();
    return this.#footageClock.cautiousMs;
  }

  /** Dates and the clocks to compare them with. */
  get spans(): readonly DatedSpan[] {
    this.#look();
    return this.#footageClock.spans;
  }

  /**
   * Reads and stores the settings of all streams, so that a lower retention is registered from now on, before
   * the first pass and after a crash. Never rejects.
   */
  async noteDepths(): Promise<void> {
    this.#look();
    this.#noteDepths(this.#tools.reads.streams());
    if (this.#keptMs === Number.NEGATIVE_INFINITY) await this.#keep();
  }

  /** The pending lowered retention of a stream; undefined if there is none. */
  pendingDepth(uid: string): PendingDepth | undefined {
    this.#noteDepth(uid);
    const lowered = this.#depths.lowered(uid);
    const inForceHours = this.#depths.inForce(uid);
    return lowered && inForceHours !== undefined ? { ...lowered, inForceHours } : undefined;
  }

  /** What such a retention would delete of a stream, by the wall clock, which is what a user expects. */
  lossOf(uid: string, hours: number): DepthLoss {
    const { reads, closed } = this.#tools;
    const none = { segments: 0, bytes: 0, durationMs: 0 };
    const stream = reads.stream(uid);
    if (!stream || hours < 0) return none;
    const beforeMs = this.#tools.clock.wallMs() - hours * hourMs;
    if (beforeMs <= 0) return none;
    const { segments, bytes, durationTicks } = closed.totals(stream.id, 0, catalogTicks(beforeMs));
    return { segments, bytes, durationMs: catalogMs(durationTicks) };
  }

  /**
   * The data for the confirmation before a retention is lowered to `hours`; without hours, for the pending
   * deletion.
   */
  loss(uid: string, asked?: number): RetentionLoss {
    this.#look();
    const pending = this.pendingDepth(uid);
    const hours = asked ?? pending?.hours;
    const none = { fromTime: null, untilTime: null, durationMs: 0, bytes: 0, beginsAt: null };
    if (hours === undefined) return { depthHours: null, ...none };
    const { segments, bytes, durationMs } = this.lossOf(uid, hours);
    const { reads, clock } = this.#tools;
    const stream = reads.stream(uid);
    const first = stream && reads.firstSegment(stream.id);
    if (segments === 0 || !first) return { depthHours: hours, ...none };
    const nowMs = clock.wallMs();
    const waitMs = pending?.hours === hours ? pending.waitMs : undoMs;
    return {
      depthHours: hours,
      fromTime: catalogMs(first.startTicks),
      untilTime: nowMs - hours * hourMs,
      durationMs,
      bytes,
      beginsAt: Math.round(nowMs + waitMs),
    };
  }

  start(periodMs: number): void {
    if (this.#cancel) return;
    // Before the heartbeat can carry a wrong clock over to the next run.
    if (this.cautiousNowMs < this.#tools.clock.wallMs() - sameClockMs) void this.#keep();
    this.#cancel = this.#tools.clock.every(periodMs, () => {
      this.run().catch((error: unknown) => {
        // The marker check has reported the problem with the disk.
        if (!(error instanceof RecordingFailure))
          this.#tools.log.error({ err: error }, 'Retention failed; it will be retried');
      });
    });
  }

  /** Runs a pass, or joins the one in progress. @throws what removing throws */
  run(): Promise<void> {
    this.#pass ??= this.#run().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    // The caller that started the pass receives its error.
    await this.#pass?.catch(() => undefined);
    const { clock } = this.#tools;
    // A run too short to have stored its state leaves only the heartbeat.
    if (clock.monotonicMs() - this.#startedMs < keepEveryMs) return;
    this.#look();
    await this.#keep();
  }

  async #run(): Promise<void> {
    const { reads, segmentDeleter, kept } = this.#tools;
    this.#look();
    const uids = reads.streams();
    this.#footageClock.forget(
      ({ fromMs, toMs }) => !uids.some(({ id }) => this.#hasFootage(id, fromMs, toMs)),
    );
    this.#noteDepths(uids);
    if (this.#tools.clock.monotonicMs() - this.#keptMs >= keepEveryMs) await this.#keep();
    try {
      await this.#tools.assertDeletable();
    } catch (error) {
      if (systemCode(error) === undefined || error instanceof RecordingFailure) throw error;
      this.#noteRefusal(error);
      return;
    }
    await kept.held.refresh();
    const failures: unknown[] = [];
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => failures.push(error));
    await attempt(kept.held.limit(this.#spaceReclaimer.heldBytesMax(this.#rules)));
    await attempt(segmentDeleter.finishPending());
    for (const [index, { uid, id }] of uids.entries()) {
      await attempt(this.#removeOld(uid, id));
      // A stream that loses nothing takes no turn of the event loop.
      if (index % streamsPerTurn === streamsPerTurn - 1) await nextTurn();
    }
    this.#noteHeld(uids);
    const depthOf: DepthOf = (uid) => this.#depths.inForce(uid);
    await attempt(this.#spaceReclaimer.run(this.#rules, this.#footageClock.cautiousMs, depthOf));
    this.#noteRefusal(failures.find((error) => systemCode(error) === 'EROFS'));
    // The first error is reported; the work that it interrupted is retried in the next pass.
    const others = failures.filter((error) => systemCode(error) !== 'EROFS');
    if (others.length > 0) throw others[0];
  }

  /** Deletes footage older than its stream's retention. */
  async #removeOld(uid: string, streamId: number): Promise<void> {
    const { closed, segmentDeleter, kept } = this.#tools;
    const hours = this.#depths.inForce(uid);
    if (hours === undefined || hours < 0 || this.#depthOf(uid) === undefined) return;
    for (const { fromMs, toMs, nowMs } of this.#footageClock.spans) {
      const beforeMs = nowMs - hours * hourMs;
      if (beforeMs <= fromMs) continue;
      const toTicks = toMs === Number.POSITIVE_INFINITY ? toMs : catalogTicks(toMs);
      const limit = passSegments + kept.segments;
      const due = closed
        .before(streamId, catalogTicks(fromMs), catalogTicks(beforeMs), limit)
        .filter((segment) => segment.startTicks < toTicks && !kept.includes(uid, segment));
      await segmentDeleter.removeSegments(uid, due);
    }
  }

  /** The error if the disk is not writable; no row is changed while it persists. Otherwise undefined. */
  #noteRefusal(error: unknown): void {
    const { log } = this.#tools;
    const code = systemCode(error);
    if (code !== undefined && this.#refusal !== code)
      log.error({ err: error }, 'Nothing can be deleted from the archive disk; retention is suspended');
    if (code === undefined && this.#refusal !== undefined)
      log.info({}, 'Files can be deleted from the archive disk again');
    this.#refusal = code;
  }

  #look(): void {
    const { clock, log } = this.#tools;
    const nowMs = clock.monotonicMs();
    const due = this.#depths.pass(nowMs - this.#lookedMs);
    this.#lookedMs = nowMs;
    for (const uid of due) {
      log.warn(
        { stream: uid, hours: this.#depths.inForce(uid) },
        'The lowered archive depth of a stream is now in effect',
      );
      this.#keptMs = Number.NEGATIVE_INFINITY;
    }
    const offMs = this.#footageClock.update(clock.wallMs(), nowMs);
    if (Math.abs(offMs) <= sameClockMs) return;
    const words =
      offMs > 0
        ? 'The clock was set forward: earlier footage ages by server uptime until the clock is confirmed'
        : 'The clock was set back: footage due by age is deleted once the clock catches up';
    log.warn({ offSeconds: Math.round(offMs / 1000) }, words);
    this.#keptMs = Number.NEGATIVE_INFINITY;
  }

  #noteDepths(streams: readonly { readonly uid: string }[]): void {
    for (const { uid } of streams) this.#noteDepth(uid);
    const present = new Set(streams.map(({ uid }) => uid));
    for (const uid of Object.keys(this.#depths.known)) {
      if (!present.has(uid)) this.#depths.forget(uid);
    }
  }

  #noteDepth(uid: string): void {
    const hours = this.#depthOf(uid);
    const stream = this.#tools.reads.stream(uid);
    if (hours === undefined || !stream) return;
    const hasFootage = stream.segments > 0;
    const waiting = this.#depths.lowered(uid);
    if (!this.#depths.note(uid, hours, hasFootage)) return;
    const lowered = this.#depths.lowered(uid);
    this.#keptMs = Number.NEGATIVE_INFINITY;
    if (lowered && lowered !== waiting) {
      const minutes = Math.ceil(lowered.waitMs / 60_000);
      const fields = { stream: uid, hours, inForceHours: this.#depths.inForce(uid), minutes };
      this.#tools.log.warn(
        fields,
        'The archive depth of a stream was lowered: it takes effect after a delay',
      );
    }
  }

  /** Whether footage is kept only because the clock is not trusted, and how far the clock is ahead. */
  #noteHeld(streams: readonly { readonly uid: string; readonly id: number }[]): void {
    const { clock, log, closed, kept } = this.#tools;
    const wallMs = clock.wallMs();
    let aheadMs = 0;
    for (const { fromMs, toMs, nowMs } of this.#footageClock.doubtingSpans) {
      if (wallMs - nowMs <= Math.max(aheadMs, aheadNoticeMs)) continue;
      const isHeld = streams.some(({ uid, id }) => {
        const hours = this.#depths.inForce(uid) ?? -1;
        if (hours < 0) return false;
        const beforeTicks = catalogTicks(Math.min(toMs, wallMs - hours * hourMs));
        const oldest = closed.before(id, catalogTicks(fromMs), beforeTicks, 1 + kept.segments);
        return oldest.some((segment) => !kept.held.isHeld(uid, segment));
      });
      if (isHeld) aheadMs = wallMs - nowMs;
    }
    const wasHeld = this.#clockAheadMs !== undefined;
    this.#clockAheadMs = aheadMs > 0 ? aheadMs : undefined;
    if (aheadMs > 0 === wasHeld) return;
    if (wasHeld) log.info({}, 'The clock is confirmed: footage is deleted by age again');
    else
      log.warn(
        { aheadSeconds: Math.round(aheadMs / 1000) },
        'The clock is ahead of the archive: no footage is deleted by age for now',
      );
  }

  #hasFootage(streamId: number, fromMs: number, toMs: number): boolean {
    const first = this.#tools.reads.segmentAfter(streamId, catalogTicks(fromMs) - 1);
    return first !== undefined && catalogMs(first.startTicks) < toMs;
  }

  async #keep(): Promise<void> {
    this.#keptMs = this.#tools.clock.monotonicMs();
    await this.#tools.keep({ eras: this.#footageClock.eras, depths: this.#depths.known });
  }
}

/**
 * The stored eras; without them the date of the newest footage is the last known time, or the last heartbeat if
 * that is earlier: footage may have been dated by a camera. The heartbeat alone is a file system time, which
 * comes from the same clock.
 */
function erasOf({ facts, lastSignMs, reads, clock }: RetentionTools): RetentionFacts['eras'] {
  if (facts) return facts.eras;
  const streams = reads.streams();
  const starts = streams.flatMap(({ id }) => reads.firstSegment(id)?.startTicks ?? []);
  const ends = streams.flatMap(({ id }) => reads.newestSegment(id)?.endTicks ?? []);
  if (starts.length === 0) return [{ fromMs: clock.wallMs(), nowMs: clock.wallMs() }];
  const newestMs = catalogMs(Math.max(...ends));
  return [{ fromMs: catalogMs(Math.min(...starts)), nowMs: Math.min(lastSignMs ?? newestMs, newestMs) }];
}
