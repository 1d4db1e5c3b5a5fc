import type { ClusterNode } from '@vidette/contract/entities';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { NodeRecord } from '../store/node-row.ts';
import type { Nodes } from '../store/nodes.ts';
import type { Cluster, StreamReport } from './cluster.ts';

/** The part of this node's streams that its membership needs. */
export interface MemberStreams {
  /** Number of streams for which this node holds a source or a recorder. */
  activeStreams(): number;
  /** To be called when it has changed whether this node runs streams. */
  review(): void;
}

export interface MembershipOptions {
  readonly nodes: Nodes;
  readonly clock: Clock;
  readonly log: Log;
  /** `node.id` of the configuration. */
  readonly id: string;
  /** Maximum number of streams that this node runs; null: no limit. */
  readonly capacity: number | null;
  /** Version of the product. */
  readonly version: string;
  /**
   * The nodes that share a PostgreSQL with this one; undefined with SQLite, which belongs to a single server.
   */
  readonly cluster?: Cluster | undefined;
}

/** The epoch of a node without peers. */
const onlyEpoch = 0;

/**
 * This node among those that its database knows. Without a cluster the others are earlier names of this server,
 * or servers from whose backup it was restored, and count as down.
 */
export class Membership {
  readonly id: string;
  readonly capacity: number | null;
  readonly #options: MembershipOptions;
  readonly #cluster: Cluster | undefined;
  #isDrained: boolean;
  #streams: MemberStreams | undefined;
  /** Changes are serialised, so that the state in force is the one stored last. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: MembershipOptions, self: NodeRecord) {
    this.id = options.id;
    this.capacity = options.capacity;
    this.#options = options;
    this.#cluster = options.cluster;
    this.#isDrained = self.isDrained;
  }

  /**
   * Records that this node is running; a node without peers takes over the streams of nodes that no longer
   * exist.
   */
  static async open(options: MembershipOptions): Promise<Membership> {
    const { nodes, id, version, clock, log, cluster } = options;
    const self = cluster ? await nodes.byId(id) : await nodes.register(id, version, clock.wallMs());
    if (!self) throw unknownNode(id);
    if (!cluster) await nodes.adoptStreams(id);
    const membership = new Membership(options, self);
    if (membership.isDrained) {
      log.warn({ node: id }, 'This node is drained: it runs no streams until it is returned to service');
    }
    return membership;
  }

  /** Until this is called the node has no streams. */
  attach(streams: MemberStreams): void {
    this.#streams = streams;
  }

  /** Whether this node is drained. */
  get isDrained(): boolean {
    return this.#cluster?.isDrained ?? this.#isDrained;
  }

  /** The epoch under which this node runs a stream; undefined when it doesn't. */
  acquire(uid: string): number | undefined {
    if (this.#cluster) return this.#cluster.acquire(uid);
    return this.#isDrained ? undefined : onlyEpoch;
  }

  /** Whether data that was received under that epoch may be written. */
  permits(uid: string, epoch: number): boolean | Promise<boolean> {
    return this.#cluster?.permits(uid, epoch) ?? true;
  }

  /** Whether this node reports on a stream: not yet for one that is still being handed to it. */
  owns(uid: string): boolean {
    return this.#cluster?.owns(uid) ?? true;
  }

  /** The last report of another node about a stream that it has; undefined for this node's own. */
  reportElsewhere(uid: string): StreamReport | undefined {
    return this.#cluster?.reportElsewhere(uid);
  }

  /** The other node that has a stream; undefined when this one has it, or none. */
  nodeElsewhere(uid: string): string | undefined {
    return this.#cluster?.nodeElsewhere(uid);
  }

  /** Whether the database answered just now; always true without peers. */
  get reachesDatabase(): boolean {
    return this.#cluster?.reachesDatabase ?? true;
  }

  /** The nodes whose clocks must be corrected, and how far they are ahead. */
  get wrongClocks(): Cluster['wrongClocks'] {
    return this.#cluster?.wrongClocks ?? [];
  }

  /** Whether a node is up. */
  isAvailable(nodeId: string): boolean {
    return this.#cluster?.isThere(nodeId) ?? nodeId === this.id;
  }

  /** Whether the node that has a stream is up. */
  hasNode(uid: string): boolean {
    return this.#cluster?.hasNode(uid) ?? true;
  }

  /** The node for a new stream, when there are several. @throws Fault CLUSTER_NODE_ERR when no node has room */
  choose(streams: number): string {
    if (this.#cluster) return this.#cluster.choose();
    if (this.capacity !== null && streams >= this.capacity) {
      throw new Fault('CLUSTER_NODE_ERR', 'The node already has as many streams as node.capacity allows.');
    }
    return this.id;
  }

  /**
   * The other node to which a new stream would be assigned now; undefined for this one, or when none has room.
   */
  likelyElsewhere(streams: number): string | undefined {
    try {
      const node = this.choose(streams);
      return node === this.id ? undefined : node;
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }

  /** To be called after streams were added, changed or removed in the database. */
  async noteChange(): Promise<void> {
    await this.#cluster?.refresh();
  }

  /** All nodes by name. */
  async list(): Promise<ClusterNode[]> {
    await this.#cluster?.refresh();
    const records = await this.#options.nodes.all();
    const view = await this.#viewer(records);
    return records.map(view);
  }

  /** @throws Fault NotFound */
  async get(id: string): Promise<ClusterNode> {
    await this.#cluster?.refresh();
    const records = await this.#options.nodes.all();
    const record = records.find((node) => node.id === id);
    if (!record) throw unknownNode(id);
    return (await this.#viewer(records))(record);
  }

  /** @throws Fault NotFound */
  rename(id: string, name: string): Promise<ClusterNode> {
    return this.#inTurn(async () => {
      if (!(await this.#options.nodes.rename(id, name))) throw unknownNode(id);
      return this.get(id);
    });
  }

  /** Drains a node or returns it to service. Idempotent. @throws Fault NotFound */
  setDrained(id: string, isDrained: boolean): Promise<ClusterNode> {
    return this.#inTurn(async () => {
      if (!(await this.#options.nodes.setDrained(id, isDrained))) throw unknownNode(id);
      await this.#cluster?.refresh();
      if (id === this.id && this.#isDrained !== isDrained) {
        this.#isDrained = isDrained;
        this.#options.log.warn(
          { node: id },
          isDrained ? 'This node is drained' : 'This node has returned to service',
        );
        this.#streams?.review();
      }
      return this.get(id);
    });
  }

  /** Removes a node that no longer exists. @throws Fault NotFound, or ActionNotAcceptable for one that is up */
  forget(id: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.get(id)).available) {
        throw new Fault('ActionNotAcceptable', 'A running node cannot be removed: stop it first.');
      }
      await this.#options.nodes.remove(id);
      await this.#cluster?.refresh();
    });
  }

  /** Records when this node was last seen. `isInUse`: other processes go on recording under its lease. */
  async close({ isInUse } = { isInUse: false }): Promise<void> {
    await this.#turn;
    if (this.#cluster) await this.#cluster.close(isInUse);
    else await this.#options.nodes.touch(this.id, this.#options.clock.wallMs());
  }

  /** One of these nodes as users see it. */
  async #viewer(records: readonly NodeRecord[]): Promise<(record: NodeRecord) => ClusterNode> {
    const counts = await this.#options.nodes.streamCounts();
    const successors = records.filter(({ id, isDrained }) => this.isAvailable(id) && !isDrained);
    return (record) => {
      const isSelf = record.id === this.id;
      const available = this.isAvailable(record.id);
      const isDrained = record.isDrained;
      const activeElsewhere = available ? record.activeStreams : 0;
      const activeStreams = isSelf ? (this.#streams?.activeStreams() ?? 0) : activeElsewhere;
      const streams = counts.get(record.id) ?? 0;
      const hasSuccessor = successors.some(({ id }) => id !== record.id);
      const isDraining = activeStreams > 0 || (hasSuccessor && streams > 0);
      return {
        id: record.id,
        name: record.name,
        available,
        isDrained,
        state: available ? stateOf(isDrained, isDraining) : 'away',
        isSelf,
        streams,
        activeStreams,
        capacity: isSelf ? this.capacity : record.capacity,
        successors: successors.filter(({ id }) => id !== record.id).length,
        version: record.version,
        startedTime: available ? record.startedMs : null,
        lastSeenTime: isSelf ? this.#options.clock.wallMs() : record.lastSeenMs,
      };
    };
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(run);
    // The next in the queue does not depend on the result of this one; its own caller gets the error.
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

function stateOf(isDrained: boolean, isDraining: boolean): ClusterNode['state'] {
  if (!isDrained) return 'working';
  return isDraining ? 'draining' : 'drained';
}

function unknownNode(id: string): Fault {
  return new Fault('NotFound', `There is no node ${id}.`);
}
