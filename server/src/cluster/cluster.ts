import { delay, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Lease } from '../base/lease.ts';
import type { Log } from '../base/log.ts';
import { WritePermits, type PermitsReport } from '../base/write-permits.ts';
import {
  leaseMs,
  type ClusterMember,
  type ClusterTables,
  type Joining,
  type NodeReport,
  type StreamPlace,
} from '../store/cluster-tables.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { ClockCheck } from './clock-check.ts';
import type { ClusterChange } from './cluster-change.ts';
import { ClusterView } from './cluster-view.ts';
import { DatabaseContact, type PeerReaches } from './database-contact.ts';
import { Heartbeat } from './heartbeat.ts';
import { LeaderElection } from './leader-election.ts';
import { bestNode } from './placement.ts';

/** A lease ends this much earlier for its own node than for the others. */
const marginMs = 500;
/**
 * The lease of a killed node lasts for a while; a lease that is still renewed after this belongs to a running
 * process.
 */
const patienceMs = leaseMs + 3_000;
const retryMs = 500;

/** What is known about a stream that another node has: its status, and the reason if it fails. */
export interface StreamReport {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
}

/** The part of this node's streams that the cluster needs. */
export interface ClusterStreams {
  report(): NodeReport;
  /** Whether this node already records a stream that is being handed to it, or does not need to. */
  isReady(uid: string): boolean;
  /** Resolves when the change has taken effect; after a rejection it is reported again. */
  onChange(change: ClusterChange): Promise<void>;
}

const idle: NodeReport = { activeStreams: 0, cannotRecord: false };

export interface ClusterOptions {
  readonly tables: ClusterTables;
  readonly clock: Clock;
  readonly log: Log;
  /** `node.id` of the configuration. */
  readonly id: string;
  /** Of this run of the server: a process that replaces this one has the same, and continues its lease. */
  readonly runId: string;
  readonly capacity: number | null;
  /** Version of the product. */
  readonly version: string;
  /** Public key of `node.key`, base64url. */
  readonly publicKey: string;
  /** Called when this node must stop, with the reason: another process runs under its id, or it was removed. */
  readonly onExpelled: (reason: string) => void;
  /** Called after each renewal and each verdict, for the processes that record. */
  readonly onLease?: (report: PermitsReport) => void;
}

/**
 * This node among several on one PostgreSQL: renews its lease, reads which streams are its own, takes over
 * streams handed to it, and, as the leader, assigns streams to nodes (design/cluster.md). Data flows in one
 * direction: a beat renews the lease and reads the database into the view; changes in the view go to the
 * notifier; the lease and the view together determine what this node may run and write.
 */
export class Cluster {
  readonly id: string;
  readonly #options: ClusterOptions;
  readonly #permits: WritePermits;
  readonly #election: LeaderElection;
  readonly #view: ClusterView;
  readonly #changes: ChangeNotifier;
  readonly #contact: DatabaseContact;
  readonly #clockCheck: ClockCheck;
  readonly #heartbeat: Heartbeat;
  #streams: ClusterStreams | undefined;

  private constructor(options: ClusterOptions) {
    const { id, tables, clock, log } = options;
    this.id = id;
    this.#options = options;
    this.#permits = new WritePermits(clock, leaseMs - marginMs);
    this.#election = new LeaderElection({ tables, clock, log, id });
    this.#view = new ClusterView({ tables, clock, id });
    this.#changes = new ChangeNotifier(log);
    this.#contact = new DatabaseContact(clock, log);
    this.#clockCheck = new ClockCheck(log);
    this.#heartbeat = new Heartbeat(clock, () => this.#tick());
  }

  /**
   * Joins the cluster and reads which node has which stream. @throws Fault Unavailable when another process
   * runs under this id
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

  /** Sets how peers are asked about the database. Until this is called, none counts as reaching it. */
  askPeers(peerReaches: PeerReaches): void {
    this.#contact.askPeers(peerReaches);
  }

  /** Starts to report changes: listeners already know everything up to `open`. */
  start(): void {
    this.#changes.clear();
    this.#heartbeat.start();
  }

  /** The epoch under which this node runs a stream; undefined when another node does. */
  acquire(uid: string): number | undefined {
    if (this.#lease.state === 'fenced') return undefined;
    const place = this.#view.places.get(uid);
    return place && this.#view.epochOf(place);
  }

  /** Whether data that was received under an epoch may be written now. Waits while that is unknown. */
  permits(uid: string, epoch: number): boolean | Promise<boolean> {
    return this.#permits.permits(uid, epoch);
  }

  /** Whether this node, and no other, reports on a stream. */
  owns(uid: string): boolean {
    return this.#view.places.get(uid)?.nodeId === this.id && this.acquire(uid) !== undefined;
  }

  /** The last report about a stream from the node that has it. */
  reportElsewhere(uid: string): StreamReport | undefined {
    const place = this.#view.places.get(uid);
    if (!place || this.owns(uid)) return undefined;
    if (!this.isThere(place.nodeId)) return { status: 'pending', code: null, reason: null };
    return { status: place.status, code: place.failureCode, reason: place.failureReason };
  }

  /** The other node that has a stream; undefined when this one has it, or none. */
  nodeElsewhere(uid: string): string | undefined {
    const place = this.#view.places.get(uid);
    return place && this.acquire(uid) === undefined && place.nodeId !== this.id ? place.nodeId : undefined;
  }

  /** Whether a node's lease held at the last read of the database. */
  isThere(nodeId: string): boolean {
    return this.#view.isThere(nodeId);
  }

  /** Whether the lease of the node that has a stream held at that time. */
  hasNode(uid: string): boolean {
    const place = this.#view.places.get(uid);
    return place !== undefined && this.isThere(place.nodeId);
  }

  get isDrained(): boolean {
    return this.#view.isDrained;
  }

  /** The other nodes, as of the last read of the database. */
  get peers(): readonly ClusterMember[] {
    return this.#view.peers;
  }

  /** The ids of the other nodes whose lease held. */
  get peersThere(): readonly string[] {
    return this.peers.flatMap(({ id, isThere }) => (isThere ? [id] : []));
  }

  /** Whether the database answered just now. */
  get reachesDatabase(): boolean {
    return this.#contact.isFresh;
  }

  /** The nodes that are up and whose clocks differ from the database's, this one included. */
  get wrongClocks(): readonly { readonly id: string; readonly aheadMs: number }[] {
    return this.#view.wrongClocks;
  }

  /** The node for a new stream. @throws Fault CLUSTER_NODE_ERR when no node has room */
  choose(): string {
    const node = bestNode(this.#view.members, this.#view.places.values(), this.id);
    if (node === undefined) throw new Fault('CLUSTER_NODE_ERR', 'No node has room for another stream.');
    return node;
  }

  /** Reads this node's own changes immediately. */
  async refresh(): Promise<void> {
    await this.#heartbeat.run(() => this.#learn());
    this.#reportChanges();
  }

  /** Releases the lease, so that the other nodes need not wait for it to expire; not while other processes record under it. */
  async close(isInUse = false): Promise<void> {
    const stopped = this.#heartbeat.stop();
    this.#lease.close();
    await stopped;
    if (isInUse) return;
    const { tables, log } = this.#options;
    try {
      await tables.leave(this.id, this.#options.runId);
    } catch (error) {
      log.warn({ err: error }, 'The lease could not be released; it will expire');
    }
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
    return tables.join({ id: this.id, runId: this.#options.runId, version, capacity, publicKey });
  }

  async #tick(): Promise<void> {
    try {
      await this.#renew();
      await this.#act();
    } catch (error) {
      await this.#noteSilence(error);
    }
    this.#reportChanges();
  }

  async #renew(): Promise<void> {
    const { tables, clock, onExpelled } = this.#options;
    const report = this.#streams?.report() ?? idle;
    const [sentMs, sentWallMs] = [clock.monotonicMs(), clock.wallMs()];
    const databaseMs = await tables.renew(this.id, this.#options.runId, report, this.#clockCheck.aheadMs);
    if (databaseMs !== undefined) {
      this.#clockCheck.note(sentWallMs, clock.monotonicMs() - sentMs, databaseMs);
    } else {
      // Replaced while it was away, or removed.
      const joining = await this.#takeLease();
      if (joining !== 'joined') {
        const reason =
          joining === 'taken' ? `Another server on the database is called ${this.id}.` : notInvited(this.id);
        this.#lease.judge('fenced');
        this.#reportLease();
        onExpelled(reason);
        throw new Fault('Unavailable', reason);
      }
    }
    const before = this.#lease.state === 'held' ? undefined : this.#view.places;
    await this.#learn();
    if (before) this.#loseWhatWasTaken(before);
    this.#lease.renewed(sentMs, sentWallMs);
    this.#reportLease();
    this.#contact.noteAnswer();
  }

  /**
   * The lease had expired for a while: streams that another node has now, or had meanwhile, are no longer
   * written.
   */
  #loseWhatWasTaken(before: ReadonlyMap<string, StreamPlace>): void {
    const moved: string[] = [];
    for (const place of before.values()) {
      const epoch = this.#view.epochOf(place);
      if (epoch === undefined) continue;
      moved.push(place.uid);
      const now = this.#view.places.get(place.uid);
      if (!now || this.#view.epochOf(now) !== epoch) this.#permits.lose(place.uid, epoch);
    }
    this.#changes.add({ moved });
  }

  /** Brings the view up to date. */
  async #learn(): Promise<void> {
    this.#changes.add(await this.#view.read());
  }

  /** Takes over the streams that are handed to it and are ready; acts as leader, if it is this node's turn. */
  async #act(): Promise<void> {
    const { tables, log } = this.#options;
    let hasMoved = false;
    for (const { uid, epoch, nodeId, nextNodeId, status } of this.#view.places.values()) {
      if (nextNodeId !== this.id || nodeId === this.id) continue;
      if (status === 'running' && !(this.#streams?.isReady(uid) ?? false)) continue;
      if (await tables.complete(uid, epoch, this.id)) {
        log.info({ stream: uid, from: nodeId }, 'This node has taken over a stream');
        hasMoved = true;
      }
    }
    if (hasMoved) await this.#learn();
    const hasPlaced = await this.#election.act({
      version: this.#view.version,
      members: this.#view.members,
      places: this.#view.places.values(),
      ageMs: this.#view.ageMs,
      heldMs: this.#lease.heldMs,
    });
    if (hasPlaced) await this.#learn();
  }

  /** Runs in parallel with the renewals, which must not wait; one at a time. */
  #reportChanges(): void {
    const streams = this.#streams;
    if (streams && !this.#heartbeat.isStopped) this.#changes.flush((change) => streams.onChange(change));
  }

  /**
   * The database did not answer. Once the lease has expired, the peers' answers decide whether running streams
   * continue.
   */
  async #noteSilence(error: unknown): Promise<void> {
    const { log } = this.#options;
    this.#contact.noteFailure(error);
    const { state } = this.#lease;
    // A fenced node waits for the database: its streams are recorded elsewhere.
    if (state === 'held' || state === 'fenced') return;
    if (await this.#contact.isReachedBy(this.peers.map(({ id }) => id))) {
      this.#lease.judge('fenced');
      log.warn(
        {},
        'The lease has expired, and another node reaches the database: it takes over the streams of this node',
      );
      this.#changes.add({ moved: [...this.#view.places.keys()] });
    } else {
      this.#lease.judge('isolated');
      if (state === 'undecided')
        log.warn(
          {},
          'The lease has expired, and no reachable node can reach the database: running streams continue',
        );
    }
    this.#reportLease();
  }

  get #lease(): Lease {
    return this.#permits.lease;
  }

  #reportLease(): void {
    this.#options.onLease?.(this.#permits.report);
  }
}

function notInvited(id: string): string {
  return (
    `The cluster does not know the node ${id}: it was removed, or never invited. To admit it, create a code on another node, ` +
    `then run \`vidette leave\` and \`vidette join ADDRESS CODE ${id}\` here. Its footage stays in its folder: \`vidette check\` reads it.`
  );
}
