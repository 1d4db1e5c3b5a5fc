import { randomUUID } from 'node:crypto';
import { delay, type Cancel, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import {
  leaseMs,
  type ClusterMember,
  type ClusterTables,
  type Joining,
  type NodeReport,
  type StreamPlace,
} from '../store/cluster-tables.ts';
import { ClockOffset, isWrongClock } from './clock-offset.ts';
import { Lease } from './lease.ts';
import { emptyChange, isEmpty, joined, type ClusterChange } from './cluster-change.ts';
import { LeaderElection } from './leader-election.ts';
import { bestNode } from './placement.ts';

const periodMs = 1_000;
/** A database answer older than this says nothing about whether it still answers. */
const freshMs = 2_000;
/** A lease ends this much earlier for its own node than for the others. */
const marginMs = 500;
/**
 * The lease of a killed node lasts for a while; a lease that is still renewed after this belongs to a running
 * process.
 */
const patienceMs = leaseMs + 3_000;
const retryMs = 500;

/** What is known of a stream that another node has: its status, and the reason if it fails. */
export interface StreamReport {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
}

/** The streams of this node, as far as the cluster has to do with them. */
export interface ClusterStreams {
  report(): NodeReport;
  /** Whether this node already records a stream that is being handed to it, or does not need to. */
  isReady(uid: string): boolean;
  /** Resolves when the change has taken effect; after a rejection it is reported again. */
  onChange(change: ClusterChange): Promise<void>;
}

/** Whether one of these nodes reports that the database answers it. Never rejects. */
export type PeerReaches = (ids: readonly string[]) => Promise<boolean>;

const idle: NodeReport = { activeStreams: 0, cannotRecord: false };

export interface ClusterOptions {
  readonly tables: ClusterTables;
  readonly clock: Clock;
  readonly log: Log;
  /** `node.id` of the configuration. */
  readonly id: string;
  readonly capacity: number | null;
  /** Of the product. */
  readonly version: string;
  /** Of `node.key`, base64url. */
  readonly publicKey: string;
  /** This node must stop, for the reason given: another process runs under its id, or it was removed. */
  readonly onExpelled: (reason: string) => void;
}

/**
 * This node among several on one PostgreSQL: renews its lease, learns which streams are its own, takes over
 * streams handed to it, and, as the leader, assigns streams to nodes (design/cluster.md).
 */
export class Cluster {
  readonly id: string;
  readonly #options: ClusterOptions;
  readonly #runId = randomUUID();
  readonly #lease: Lease;
  readonly #election: LeaderElection;
  readonly #clockOffset = new ClockOffset();
  #isClockWrong = false;
  #members: readonly ClusterMember[] = [];
  #places: ReadonlyMap<string, StreamPlace> = new Map();
  /** When `#places` was read, monotonic. */
  #readMs = 0;
  #version = -1;
  /**
   * Up to this epoch, this node's assignment of a stream was lost while it slept or was cut off: nothing more
   * is written under it.
   */
  readonly #lost = new Map<string, number>();
  /** Not reported yet. */
  #untold = emptyChange();
  #isTelling = false;
  #isAway = false;
  /** When the database last completed a query, monotonic. */
  #answeredMs = -Infinity;
  #cancel: Cancel | undefined;
  #beat: Promise<void> = Promise.resolve();
  #isClosed = false;
  #streams: ClusterStreams | undefined;
  #peerReaches: PeerReaches = () => Promise.resolve(false);

  private constructor(options: ClusterOptions) {
    this.id = options.id;
    this.#options = options;
    this.#lease = new Lease(options.clock, leaseMs - marginMs);
    this.#election = new LeaderElection({
      tables: options.tables,
      clock: options.clock,
      log: options.log,
      id: options.id,
    });
  }

  /**
   * Joins and learns which node has which stream. @throws Fault Unavailable when another process runs under
   * this id
   */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options);
    await cluster.#join();
    await cluster.#renew();
    return cluster;
  }

  /** Until this is called the node counts as idle, takes no running stream over, and changes wait. */
  attach(streams: ClusterStreams): void {
    this.#streams = streams;
  }

  /** How peers are asked about the database. Until this is called none reaches it. */
  askPeers(peerReaches: PeerReaches): void {
    this.#peerReaches = peerReaches;
  }

  /** Starts to report changes: listeners already know everything up to `open`. */
  start(): void {
    this.#untold = emptyChange();
    this.#schedule(0);
  }

  /** The epoch under which this node runs a stream; undefined when another node does. */
  acquire(uid: string): number | undefined {
    if (this.#lease.state === 'fenced') return undefined;
    const place = this.#places.get(uid);
    return place && this.#epochOf(place);
  }

  /** Whether data that came under an epoch may be written now. Waits while that is unknown. */
  permits(uid: string, epoch: number): boolean | Promise<boolean> {
    const settled = this.#lease.settled;
    if (settled) return settled.then(() => this.permits(uid, epoch));
    return this.#lease.state !== 'fenced' && epoch > (this.#lost.get(uid) ?? -1);
  }

  /** Whether this node, and no other, reports on a stream. */
  owns(uid: string): boolean {
    return this.#places.get(uid)?.nodeId === this.id && this.acquire(uid) !== undefined;
  }

  /** What the node that has a stream last reported of it. */
  reportElsewhere(uid: string): StreamReport | undefined {
    const place = this.#places.get(uid);
    if (!place || this.owns(uid)) return undefined;
    if (!this.isThere(place.nodeId)) return { status: 'pending', code: null, reason: null };
    return { status: place.status, code: place.failureCode, reason: place.failureReason };
  }

  /** The other node that has a stream; undefined when this one has it, or none. */
  nodeElsewhere(uid: string): string | undefined {
    const place = this.#places.get(uid);
    return place && this.acquire(uid) === undefined && place.nodeId !== this.id ? place.nodeId : undefined;
  }

  /** Whether a node's lease held at the last read of the database. */
  isThere(nodeId: string): boolean {
    return this.#members.some((member) => member.id === nodeId && member.isThere);
  }

  /** Whether the lease of the node that has a stream held then. */
  hasNode(uid: string): boolean {
    const place = this.#places.get(uid);
    return place !== undefined && this.isThere(place.nodeId);
  }

  get isDrained(): boolean {
    return this.#members.find((member) => member.id === this.id)?.isDrained === true;
  }

  /** The other nodes, as of the last read of the database. */
  get peers(): readonly ClusterMember[] {
    return this.#members.filter(({ id }) => id !== this.id);
  }

  /** The ids of those whose lease held. */
  get peersThere(): readonly string[] {
    return this.peers.flatMap(({ id, isThere }) => (isThere ? [id] : []));
  }

  /** Whether the database answered just now. */
  get reachesDatabase(): boolean {
    return !this.#isAway && this.#options.clock.monotonicMs() - this.#answeredMs < freshMs;
  }

  /** The nodes that are up and whose clocks differ from the database's, this one included. */
  get wrongClocks(): readonly { readonly id: string; readonly aheadMs: number }[] {
    return this.#members.flatMap(({ id, isThere, clockAheadMs: aheadMs }) =>
      isThere && aheadMs !== null && isWrongClock(aheadMs) ? [{ id, aheadMs }] : [],
    );
  }

  /** The node for a new stream. @throws Fault CLUSTER_NODE_ERR when no node has room */
  choose(): string {
    const node = bestNode(this.#members, this.#places.values(), this.id);
    if (node === undefined) throw new Fault('CLUSTER_NODE_ERR', 'No node has room for another stream.');
    return node;
  }

  /** Reads immediately what this node itself has changed. */
  async refresh(): Promise<void> {
    await this.#inTurn(() => this.#learn());
    this.#tell();
  }

  /** Releases the lease, so that the other nodes need not wait for it to expire. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    this.#lease.close();
    await this.#beat;
    const { tables, log } = this.#options;
    try {
      await tables.leave(this.id, this.#runId);
    } catch (error) {
      log.warn({ err: error }, 'The lease could not be released; it expires on its own');
    }
  }

  #epochOf({ nodeId, nextNodeId, epoch }: StreamPlace): number | undefined {
    if (nodeId === this.id) return this.isDrained && !this.#hasSuccessor ? undefined : epoch;
    return nextNodeId === this.id ? epoch + 1 : undefined;
  }

  get #hasSuccessor(): boolean {
    return this.#members.some((member) => member.id !== this.id && member.isThere && !member.isDrained);
  }

  async #join(): Promise<void> {
    const { clock, log } = this.#options;
    const untilMs = clock.monotonicMs() + patienceMs;
    for (;;) {
      const joining = await this.#takeLease();
      if (joining === 'joined') return;
      if (joining === 'unknown') throw new Fault('ActionNotAcceptable', notInvited(this.id));
      if (clock.monotonicMs() > untilMs) {
        throw new Fault(
          'Unavailable',
          `Another server on this database is called ${this.id}: give this one another node.id.`,
        );
      }
      log.warn(
        { node: this.id },
        'A server with this name is running, or was until recently: waiting for its lease to expire',
      );
      await delay(clock, retryMs);
    }
  }

  #takeLease(): Promise<Joining> {
    const { tables, version, capacity, publicKey } = this.#options;
    return tables.join({ id: this.id, runId: this.#runId, version, capacity, publicKey });
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(delayMs, () => void this.#inTurn(() => this.#tick()));
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const result = this.#beat.then(run);
    // The next in the queue does not depend on the result of this one; its own caller gets the error.
    this.#beat = result.catch(() => undefined);
    return result;
  }

  async #tick(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#renew();
      this.#noteAnswer();
      await this.#act();
    } catch (error) {
      await this.#noteSilence(error);
    }
    this.#tell();
    this.#schedule(periodMs);
  }

  async #renew(): Promise<void> {
    const { tables, clock, onExpelled } = this.#options;
    const report = this.#streams?.report() ?? idle;
    const [sentMs, sentWallMs] = [clock.monotonicMs(), clock.wallMs()];
    const databaseMs = await tables.renew(this.id, this.#runId, report, this.#clockOffset.aheadMs);
    if (databaseMs !== undefined) {
      this.#clockOffset.note(sentWallMs, clock.monotonicMs() - sentMs, databaseMs);
      this.#noteClock();
    } else {
      // Replaced while it was away, or removed.
      const joining = await this.#takeLease();
      if (joining !== 'joined') {
        const reason =
          joining === 'taken' ? `Another server on the database is called ${this.id}.` : notInvited(this.id);
        this.#lease.judge('fenced');
        onExpelled(reason);
        throw new Fault('Unavailable', reason);
      }
    }
    const before = this.#lease.state === 'held' ? undefined : this.#places;
    await this.#learn();
    if (before) this.#loseWhatWasTaken(before);
    this.#lease.renewed(sentMs, sentWallMs);
    this.#answeredMs = clock.monotonicMs();
  }

  /**
   * The lease had lapsed for a while: streams that are another node's now, or were meanwhile, are no longer
   * written.
   */
  #loseWhatWasTaken(before: ReadonlyMap<string, StreamPlace>): void {
    const moved = new Set(this.#untold.moved);
    for (const place of before.values()) {
      const epoch = this.#epochOf(place);
      if (epoch === undefined) continue;
      moved.add(place.uid);
      const now = this.#places.get(place.uid);
      if (!now || this.#epochOf(now) !== epoch) this.#lost.set(place.uid, epoch);
    }
    this.#untold = { ...this.#untold, moved: [...moved] };
  }

  /** Reads which nodes are up, and which node has which stream if that has changed. */
  async #learn(): Promise<void> {
    const { tables, clock } = this.#options;
    const wasStopped = this.isDrained && !this.#hasSuccessor;
    const wasThere = new Set(this.#members.filter((member) => member.isThere).map(({ id }) => id));
    this.#members = await tables.members();
    const version = await tables.version();
    const old = this.#places;
    let places: readonly StreamPlace[] | undefined;
    if (version !== this.#version) {
      places = await tables.places();
      this.#places = new Map(places.map((place) => [place.uid, place]));
      this.#readMs = clock.monotonicMs();
      this.#version = version;
    }
    const isStopped = this.isDrained && !this.#hasSuccessor;
    const hasNodeChanged = (id: string) => wasThere.has(id) !== this.isThere(id);
    const saved = new Set(this.#untold.saved);
    const moved = new Set(this.#untold.moved);
    for (const place of this.#places.values()) {
      const known = old.get(place.uid);
      if (known?.changed !== place.changed) saved.add(place.uid);
      // Of its own streams too: this corrects the report of a node that has lost a stream and does not know it
      // yet.
      const isMoved = !isSamePlace(known, place);
      if (isStopped !== wasStopped || hasNodeChanged(place.nodeId) || isMoved) {
        moved.add(place.uid);
      }
    }
    const gone = [...old.keys()].filter((uid) => !this.#places.has(uid));
    const removed = new Set([...this.#untold.removed, ...gone]);
    this.#untold = { ...this.#untold, saved: [...saved], moved: [...moved], removed: [...removed] };
  }

  /** Takes over the streams that are handed to it and are ready; leads, if it is this node's turn. */
  async #act(): Promise<void> {
    const { tables, log } = this.#options;
    let hasMoved = false;
    for (const { uid, epoch, nodeId, nextNodeId, status } of this.#places.values()) {
      if (nextNodeId !== this.id || nodeId === this.id) continue;
      if (status === 'running' && !(this.#streams?.isReady(uid) ?? false)) continue;
      if (await tables.complete(uid, epoch, this.id)) {
        log.info({ stream: uid, from: nodeId }, 'This node has taken a stream over');
        hasMoved = true;
      }
    }
    if (hasMoved) await this.#learn();
    const hasPlaced = await this.#election.act({
      version: this.#version,
      members: this.#members,
      places: this.#places.values(),
      ageMs: this.#options.clock.monotonicMs() - this.#readMs,
      heldMs: this.#lease.heldMs,
    });
    if (hasPlaced) await this.#learn();
  }

  /** Runs beside the renewals, which must not wait; one at a time. */
  #tell(): void {
    const change = this.#untold;
    if (!this.#streams || this.#isTelling || isEmpty(change) || this.#isClosed) return;
    this.#untold = emptyChange();
    this.#isTelling = true;
    this.#streams
      .onChange(change)
      .catch((error: unknown) => {
        this.#untold = joined(change, this.#untold);
        if (error instanceof Fault && error.code === 'Unavailable') return;
        const text = 'What another node changed is not in force yet; it will be tried again';
        this.#options.log.error({ err: error }, text);
      })
      .finally(() => {
        this.#isTelling = false;
      });
  }

  #noteClock(): void {
    const { aheadMs } = this.#clockOffset;
    const isWrong = isWrongClock(aheadMs);
    if (isWrong === this.#isClockWrong) return;
    this.#isClockWrong = isWrong;
    const { log } = this.#options;
    if (isWrong)
      log.warn(
        { aheadMs },
        'The clock of this machine differs from that of the database: footage gets wrong times',
      );
    else log.info({}, 'The clock of this machine agrees with that of the database');
  }

  #noteAnswer(): void {
    if (this.#isAway) this.#options.log.info({}, 'The database answers again');
    this.#isAway = false;
  }

  /**
   * The database did not answer. Once the lease has lapsed, the peers' answers decide whether running streams
   * continue.
   */
  async #noteSilence(error: unknown): Promise<void> {
    const { log } = this.#options;
    if (!this.#isAway)
      log.warn({ err: error }, 'The lease of this node could not be renewed; it is tried again');
    this.#isAway = true;
    const { state } = this.#lease;
    // A fenced node waits for the database: its streams are recorded elsewhere.
    if (state === 'held' || state === 'fenced') return;
    if (await this.#peerReaches(this.peers.map(({ id }) => id))) {
      this.#lease.judge('fenced');
      log.warn(
        {},
        'The lease has expired, and another node reaches the database: it takes over the streams of this node',
      );
      this.#untold = { ...this.#untold, moved: [...this.#places.keys()] };
    } else {
      this.#lease.judge('isolated');
      if (state === 'undecided')
        log.warn(
          {},
          'The lease has expired, and no reachable node can reach the database: running streams continue',
        );
    }
  }
}

function notInvited(id: string): string {
  return (
    `The cluster does not know the node ${id}: it was removed, or never invited. To let it in, make a code on another node, ` +
    `then run \`vidette leave\` and \`vidette join ADDRESS CODE ${id}\` here. Its footage stays in its folder: \`vidette check\` reads it.`
  );
}

function isSamePlace(a: StreamPlace | undefined, b: StreamPlace): boolean {
  return (
    a?.nodeId === b.nodeId &&
    a.epoch === b.epoch &&
    a.nextNodeId === b.nextNodeId &&
    a.status === b.status &&
    a.failureCode === b.failureCode &&
    a.failureReason === b.failureReason
  );
}
