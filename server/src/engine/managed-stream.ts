import type { HandOverPoint, RecorderStopCause } from '../archive/record/record.ts';
import { delay } from '../base/clock.ts';
import { describeTrack } from '../live/track-description.ts';
import { StreamLog } from '../ingest/stream-log.ts';
import { Stream } from '../hub/stream.ts';
import { ViewerDemand } from './viewer-demand.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { sameState, stateOf, type ManagedStreamState } from './state.ts';
import type { ManagedStreamTools } from './station-tools.ts';
import { StreamFeed } from './stream-feed.ts';
import { StreamReaders, type ReadersRole } from './stream-readers.ts';
import { newestKeyFrame, type KeyFrame, type StreamDetails, type StreamReport } from './stream-report.ts';
import { SubStream } from './sub-stream.ts';

/** How long the first GOP after a hand-over is waited for, and how often it is looked for, ms. */
const firstGopMs = 60_000;
const lookMs = 50;

/** Shared by all streams that have not moved yet. */
const nothingMoves: Promise<void> = Promise.resolve();

/**
 * One configured stream on this node: its hub, the feed that writes to it while video is wanted, the readers
 * that record it and detect motion, and its sub-stream. It owns them all. `apply` sets the target state, and
 * the stream moves there one step at a time.
 */
export class ManagedStream {
  readonly stream: Stream;
  readonly demand: ViewerDemand;
  readonly log: StreamLog;
  readonly #tools: ManagedStreamTools;
  #settings: ManagedStreamSettings;
  readonly #feed: StreamFeed;
  readonly #readers: StreamReaders;
  #sub: SubStream | undefined;
  /** The assignment under which source and recorder were started. */
  #epoch: number | undefined;
  #state: ManagedStreamState;
  /** All asynchronous operations run through this queue, one after the other. */
  #moves = nothingMoves;
  #closed = false;

  constructor(settings: ManagedStreamSettings, tools: ManagedStreamTools, role: ReadersRole = 'active') {
    this.#settings = settings;
    this.#tools = tools;
    this.stream = new Stream(settings.uid);
    this.log = new StreamLog(tools.clock, tools.log, { stream: settings.uid });
    this.#feed = new StreamFeed({
      stream: this.stream,
      log: this.log,
      tools,
      onStatus: () => this.#updateState(),
      isStandby: () => this.#readers.role === 'standby',
    });
    this.#readers = new StreamReaders({ uid: settings.uid, stream: this.stream, tools, role });
    this.demand = new ViewerDemand(tools.clock, () => this.#move());
    this.#state = stateOf(settings, this.#runsHere, tools.reportElsewhere(settings.uid), undefined);
    this.#move();
  }

  get settings(): ManagedStreamSettings {
    return this.#settings;
  }

  get state(): ManagedStreamState {
    return this.#state;
  }

  /** The sub-stream, while the stream has one and is not paused. */
  get sub(): SubStream | undefined {
    return this.#sub;
  }

  /** What the process that runs the stream knows of it now; of another process, what it reported last. */
  get report(): StreamReport {
    const { host } = this.#tools;
    if (host) return host.report(this.#settings.uid);
    const { isPaused, isRecorded } = this.#settings;
    const supervisor = this.#feed.supervisor?.status;
    const recorder = this.#readers.recorder?.status;
    return {
      sinceMs: supervisor?.sinceMs,
      attempts: supervisor?.attempts ?? 0,
      nextAttemptMs: supervisor?.nextAttemptMs,
      counters: this.stream.counters,
      recorder,
      // A stream that must not run here has neither once it has ended.
      isActive: supervisor !== undefined || recorder !== undefined,
      isTakenUp: isPaused || !isRecorded || (recorder?.fragments ?? 0) > 0,
      epoch: this.#epoch,
    };
  }

  /** Tracks and log lines. @throws Fault Unavailable when the process that runs the stream does not answer */
  async details(): Promise<StreamDetails> {
    const { host } = this.#tools;
    if (host) return host.details(this.#settings.uid);
    return { tracks: (this.stream.tracks ?? []).map(describeTrack), lines: this.log.lines };
  }

  get uid(): string {
    return this.#settings.uid;
  }

  /** For a snapshot. @throws Fault as `details` */
  newestKeyFrame(): KeyFrame | undefined | Promise<KeyFrame | undefined> {
    const { host } = this.#tools;
    return host ? host.newestKeyFrame(this.#settings.uid) : newestKeyFrame(this.stream);
  }

  /** Checks again whether this node runs the stream. */
  review(): void {
    this.#updateState();
    this.#move();
  }

  /** Applies new settings. The source is restarted only if its address or address policy changed. */
  apply(settings: ManagedStreamSettings): void {
    const old = this.#settings;
    this.#settings = settings;
    const isOther = old.source !== settings.source || old.allowLoopback !== settings.allowLoopback;
    if (isOther) this.#enqueue(() => this.#feed.stopSource('source-changed'));
    this.#updateState();
    this.#move();
  }

  /** Records here, whatever another process does; from where it was handed over, or that process was lost, if it was. */
  activate(): void {
    if (this.#readers.role === 'active') return;
    void this.#beginAt(this.#readers.handedOver);
  }

  get role(): ReadersRole {
    return this.#readers.role;
  }

  /** Resolves when the other process may hand over. @throws Fault when the source can't be reached */
  async stoodBy(): Promise<void> {
    const standby = this.#readers.standBy();
    await Promise.race([standby.begun(), this.#feed.refusal]);
  }

  /** Records from where the recorder in another process ended. Resolves when its first GOP is on the disk, or can't be. */
  async takeOver(point: HandOverPoint | undefined): Promise<void> {
    await this.#beginAt(Promise.resolve(point));
    const { clock } = this.#tools;
    const sinceMs = clock.monotonicMs();
    // A source that is silent has no first GOP.
    while (
      this.#readers.isBeginning &&
      this.#state.status === 'running' &&
      clock.monotonicMs() - sinceMs < firstGopMs
    )
      await delay(clock, lookMs);
  }

  #beginAt(at: Promise<HandOverPoint | undefined> | undefined): Promise<void> {
    this.#enqueue(async () => {
      const point = await at?.catch(() => undefined);
      if (this.#closed || this.#readers.role === 'active') return;
      this.#readers.activate();
      if (this.#epoch !== undefined) await this.#readers.takeOver(this.#settings, this.#epoch, point);
      else this.#readers.stopStandby();
    });
    this.#move();
    return this.#moves;
  }

  /** Ends recording where the next GOP begins, but not the source. Undefined if nothing was recorded. Idempotent. */
  handOver(): Promise<HandOverPoint | undefined> {
    // What has begun may still start a recorder.
    return this.#readers.handOver(this.#moves);
  }

  /** Ends everything, in order: source, recorder, hub. Idempotent; resolves when the last GOP is on the disk. */
  close(cause: Exclude<RecorderStopCause, 'recording-off'>): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.demand.clear();
      // Only viewers are left: they watch on in the other process, and need not see that the source ends here.
      if (this.#readers.role === 'handed-over') this.stream.end(cause);
      this.#enqueue(async () => {
        await this.#feed.stopSource('stopped');
        await this.#feed.stopPeerFeed('stopped');
        this.#readers.stopMotion();
        this.#readers.stopStandby();
        await this.#sub?.close();
        this.#sub = undefined;
        await this.#readers.stopRecorder(cause);
        this.stream.end(cause);
      });
    }
    return this.#moves;
  }

  /** Starts and stops source and recorder as the settings and leases require. */
  #move(): void {
    if (this.#closed) return;
    this.#enqueue(async () => {
      if (this.#closed) return;
      const epoch = this.#tools.acquire(this.#settings.uid);
      if (epoch !== this.#epoch && this.#epoch !== undefined) await this.#letGo();
      this.#epoch = epoch;
      if (epoch === undefined) {
        await this.#moveSub();
        await this.#movePeerFeed();
        this.#updateState();
        return;
      }
      await this.#feed.stopPeerFeed('waiting');
      if (this.#readers.role === 'active') await this.#readers.apply(this.#settings, epoch);
      if (this.#readers.role !== 'standby') await this.#moveSub();
      const { isPaused, isRecorded, isOnDemand } = this.#settings;
      if (isPaused) await this.#feed.stopSource('paused');
      else if (isRecorded || !isOnDemand || this.demand.isHeld) this.#feed.startSource(this.#settings);
      else await this.#feed.stopSource('idle');
      this.#updateState();
    });
  }

  get #runsHere(): boolean {
    return this.#tools.acquire(this.#settings.uid) !== undefined;
  }

  /** This node no longer runs the stream, or runs it again after another node did. */
  async #letGo(): Promise<void> {
    const { uid } = this.#settings;
    const isMoved = this.#runsHere || this.#tools.reportElsewhere(uid) !== undefined;
    const cause = isMoved ? 'moved' : 'drained';
    await this.#moveSub();
    await this.#feed.stopSource(cause);
    await this.#readers.stopRecorder(cause);
    this.#readers.stopMotion();
  }

  async #movePeerFeed(): Promise<void> {
    if (this.demand.isHeld && !this.#settings.isPaused) this.#feed.startPeerFeed();
    else await this.#feed.stopPeerFeed('idle');
  }

  async #moveSub(): Promise<void> {
    const { uid, subSource, allowLoopback, isPaused } = this.#settings;
    const wanted = isPaused ? null : subSource;
    const isFromPeer = !this.#runsHere;
    if (this.#sub && !this.#sub.isOf(wanted, allowLoopback, isFromPeer)) {
      const sub = this.#sub;
      this.#sub = undefined;
      await sub.close();
    }
    if (wanted !== null)
      this.#sub ??= new SubStream({ uid, source: wanted, allowLoopback, isFromPeer, tools: this.#tools });
  }

  #enqueue(step: () => Promise<void>): void {
    const { nextTurn } = this.#tools;
    const begun = nextTurn ? this.#moves.then(nextTurn) : this.#moves;
    this.#moves = begun.then(step).catch((error: unknown) => {
      this.log.add('error', `The new settings of the stream could not be applied: ${String(error)}`, {
        err: error,
      });
    });
  }

  #updateState(): void {
    const elsewhere = this.#tools.reportElsewhere(this.#settings.uid);
    const state = stateOf(this.#settings, this.#runsHere, elsewhere, this.#feed.sourceStatus);
    if (sameState(state, this.#state)) return;
    this.#state = state;
    this.#tools.onState(this.#settings.uid, state);
  }
}
