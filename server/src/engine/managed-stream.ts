import type { Recorder, RecorderStopCause } from '../archive/record/record.ts';
import { Fault } from '../base/fault.ts';
import { parseSourceAddress, type SourceAddress } from '../dial/address.ts';
import { StreamLog } from '../ingest/stream-log.ts';
import { Supervisor } from '../ingest/supervisor.ts';
import { MotionReader } from '../motion/motion-reader.ts';
import type { PauseCause } from '../hub/reader.ts';
import { Stream } from '../hub/stream.ts';
import { ViewerDemand } from './viewer-demand.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { sameState, stateOf, type ManagedStreamState } from './state.ts';
import type { PeerFeed, ManagedStreamTools } from './station-tools.ts';
import { SubStream } from './sub-stream.ts';

const unreadableAddress =
  'The stored address cannot be read: secret.key is not the key it was stored with. Put that back, or type the address again.';

/**
 * One configured stream on this node: its hub, its source while one is wanted, its recorder while recording is
 * on, and its motion reader unless that is off. It owns them all. `apply` sets the target, and the stream moves
 * there one step at a time.
 */
export class ManagedStream {
  readonly stream: Stream;
  readonly demand: ViewerDemand;
  readonly log: StreamLog;
  readonly #tools: ManagedStreamTools;
  #settings: ManagedStreamSettings;
  #supervisor: Supervisor | undefined;
  #recorder: Recorder | undefined;
  #motion: MotionReader | undefined;
  #sub: SubStream | undefined;
  /** The assignment under which source and recorder were started. */
  #epoch: number | undefined;
  /** Set while another node runs the stream and a viewer watches it here. */
  #peerFeed: PeerFeed | undefined;
  /** Why the address cannot even be tried. */
  #addressFault: Fault | undefined;
  #state: ManagedStreamState;
  /** All asynchronous operations run through this queue, one after the other. */
  #moves: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(settings: ManagedStreamSettings, tools: ManagedStreamTools) {
    this.#settings = settings;
    this.#tools = tools;
    this.stream = new Stream(settings.uid);
    this.log = new StreamLog(tools.clock, tools.log.child({ stream: settings.uid }));
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

  /** The source's supervisor while a source is wanted: attempts, engine, since when. */
  get supervisor(): Supervisor | undefined {
    return this.#supervisor;
  }

  get recorder(): Recorder | undefined {
    return this.#recorder;
  }

  /** The sub-stream, while the stream has one and is not paused. */
  get sub(): SubStream | undefined {
    return this.#sub;
  }

  /** Whether a source or a recorder exists: a stream that must not run here has neither once it has ended. */
  get isActive(): boolean {
    return this.#supervisor !== undefined || this.#recorder !== undefined;
  }

  /** Whether this node does what it is asked to: where recording is on, its first GOP is on the disk. */
  get isTakenUp(): boolean {
    const { isPaused, isRecorded } = this.#settings;
    return isPaused || !isRecorded || (this.#recorder?.status.fragments ?? 0) > 0;
  }

  /** Checks again whether this node runs the stream. */
  review(): void {
    this.#updateState();
    this.#move();
  }

  /** Takes new settings. The source is restarted only when its address or reach changed. */
  apply(settings: ManagedStreamSettings): void {
    const old = this.#settings;
    this.#settings = settings;
    const isOther = old.source !== settings.source || old.allowLoopback !== settings.allowLoopback;
    if (isOther) this.#enqueue(() => this.#stopSource('source-changed'));
    this.#updateState();
    this.#move();
  }

  /** Ends everything, in order: source, recorder, hub. Idempotent; resolves when the last GOP is on the disk. */
  close(cause: 'server-stopped' | 'removed'): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.demand.clear();
      this.#enqueue(async () => {
        await this.#stopSource('stopped');
        await this.#stopPeerFeed('stopped');
        this.#motion?.close();
        await this.#sub?.close();
        this.#sub = undefined;
        await this.#stopRecorder(cause);
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
      await this.#stopPeerFeed('waiting');
      await this.#moveRecorder();
      this.#moveMotion();
      await this.#moveSub();
      const { isPaused, isRecorded, isOnDemand } = this.#settings;
      if (isPaused) await this.#stopSource('paused');
      else if (isRecorded || !isOnDemand || this.demand.isHeld) this.#startSource();
      else await this.#stopSource('idle');
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
    await this.#stopSource(cause);
    await this.#stopRecorder(cause);
    this.#motion?.close();
    this.#motion = undefined;
  }

  async #moveRecorder(): Promise<void> {
    const { uid, isRecorded } = this.#settings;
    const epoch = this.#epoch;
    if (isRecorded && epoch !== undefined) {
      this.#recorder ??= this.#tools.recorders.record(uid, this.stream, () =>
        this.#tools.permits(uid, epoch),
      );
    } else {
      await this.#stopRecorder('recording-off');
    }
  }

  async #stopRecorder(cause: RecorderStopCause): Promise<void> {
    await this.#recorder?.stop(cause);
    this.#recorder = undefined;
  }

  async #movePeerFeed(): Promise<void> {
    if (this.demand.isHeld && !this.#settings.isPaused)
      this.#peerFeed ??= this.#tools.peerFeed(this.stream, 'main');
    else await this.#stopPeerFeed('idle');
  }

  async #stopPeerFeed(cause: PauseCause): Promise<void> {
    const peerFeed = this.#peerFeed;
    this.#peerFeed = undefined;
    await peerFeed?.stop(cause);
  }

  #moveMotion(): void {
    const { uid, findsMotion } = this.#settings;
    if (findsMotion) {
      this.#motion ??= new MotionReader(this.stream, (event) => this.#tools.onMotion(uid, event));
    } else {
      this.#motion?.close();
      this.#motion = undefined;
    }
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

  #startSource(): void {
    if (this.#supervisor || this.#addressFault) return;
    const { source, allowLoopback } = this.#settings;
    const address = this.#readAddress(source);
    if (!address) return;
    const supervisor = new Supervisor({
      address,
      stream: this.stream,
      clock: this.#tools.clock,
      log: this.log,
      openSession: this.#tools.engines.opener(address, allowLoopback, this.stream),
      reach: this.#tools.engines.reach(address, allowLoopback),
      noFramesMs: this.#tools.noFramesMs,
      onStatus: () => this.#updateState(),
    });
    this.#supervisor = supervisor;
    supervisor.start();
  }

  /** Undefined when the address is invalid; the stream keeps that state until it gets another one. */
  #readAddress(source: string): SourceAddress | undefined {
    try {
      if (source === '') throw new Fault('CREDENTIALS_ERR', unreadableAddress);
      return parseSourceAddress(source);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#addressFault = error;
      this.log.add('error', error.message);
      return undefined;
    }
  }

  async #stopSource(cause: PauseCause): Promise<void> {
    this.#addressFault = undefined;
    await this.#supervisor?.stop(cause);
    this.#supervisor = undefined;
  }

  #enqueue(step: () => Promise<void>): void {
    this.#moves = this.#moves.then(step).catch((error: unknown) => {
      this.log.add('error', `The stream could not be brought to its new settings: ${String(error)}`, {
        err: error,
      });
    });
  }

  #updateState(): void {
    const source = this.#supervisor?.status ?? this.#addressFault;
    const elsewhere = this.#tools.reportElsewhere(this.#settings.uid);
    const state = stateOf(this.#settings, this.#runsHere, elsewhere, source);
    if (sameState(state, this.#state)) return;
    this.#state = state;
    this.#tools.onState(this.#settings.uid, state);
  }
}
