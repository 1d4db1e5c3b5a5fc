import type { ClusterNode } from '@vidette/contract/entities';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { NodeRecord, Nodes } from '../store/nodes.ts';

export interface MembershipOptions {
  readonly nodes: Nodes;
  readonly clock: Clock;
  readonly log: Log;
  /** `node.id` of the configuration. */
  readonly id: string;
  /** The most streams that this node takes; null: no limit. */
  readonly capacity: number | null;
  /** Of the product. */
  readonly version: string;
  /** How many streams this node holds a source or a recorder of. */
  readonly activeStreams: () => number;
  /** Whether this node runs streams has changed. */
  readonly onChange: () => void;
}

/**
 * This node among those that its database knows. The database is SQLite, which one server has to itself: all others in it
 * are names that this server had before, or servers whose backup it was, and are away.
 */
export class Membership {
  readonly id: string;
  readonly capacity: number | null;
  readonly #options: MembershipOptions;
  readonly #startedMs: number;
  #isDrained: boolean;
  /** Changes are made one after the other, so that what is in force is what was stored last. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: MembershipOptions, self: NodeRecord) {
    this.id = options.id;
    this.capacity = options.capacity;
    this.#options = options;
    this.#startedMs = self.started_ms;
    this.#isDrained = self.is_drained === 1;
  }

  /** Notes that this node runs, and puts on it the streams of those that are away for ever. */
  static async open(options: MembershipOptions): Promise<Membership> {
    const { nodes, id, version, clock, log } = options;
    const self = await nodes.register(id, version, clock.wallMs());
    await nodes.adoptStreams(id);
    const membership = new Membership(options, self);
    if (membership.isDrained) {
      log.warn({ node: id }, 'This node is drained: it runs no streams until somebody returns it');
    }
    return membership;
  }

  /** Whether this node was taken out of work. */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /** Whether this node runs a stream: all of them, unless it is drained. */
  runs(_uid: string): boolean {
    return !this.#isDrained;
  }

  /** All nodes by name. */
  async list(): Promise<ClusterNode[]> {
    const { nodes } = this.#options;
    const counts = await nodes.streamCounts();
    return (await nodes.all()).map((record) => this.#view(record, counts));
  }

  /** @throws Fault NotFound */
  async get(id: string): Promise<ClusterNode> {
    const { nodes } = this.#options;
    const record = await nodes.byId(id);
    if (!record) throw unknownNode(id);
    return this.#view(record, await nodes.streamCounts());
  }

  /** @throws Fault NotFound */
  rename(id: string, name: string): Promise<ClusterNode> {
    return this.#inTurn(async () => {
      if (!(await this.#options.nodes.rename(id, name))) throw unknownNode(id);
      return this.get(id);
    });
  }

  /** Takes a node out of work, or puts it back; what is so already stays so. @throws Fault NotFound */
  setDrained(id: string, isDrained: boolean): Promise<ClusterNode> {
    return this.#inTurn(async () => {
      if (!(await this.#options.nodes.setDrained(id, isDrained))) throw unknownNode(id);
      if (id === this.id && this.#isDrained !== isDrained) {
        this.#isDrained = isDrained;
        this.#options.log.warn({ node: id }, isDrained ? 'This node is drained' : 'This node has returned');
        this.#options.onChange();
      }
      return this.get(id);
    });
  }

  /** Forgets a node that is gone. @throws Fault NotFound, or ActionNotAcceptable for one that is there */
  forget(id: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.get(id)).available) {
        throw new Fault('ActionNotAcceptable', 'A node that runs cannot be forgotten: stop it first.');
      }
      await this.#options.nodes.remove(id);
    });
  }

  /** Notes when this node was seen last. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#options.nodes.touch(this.id, this.#options.clock.wallMs());
  }

  #view(record: NodeRecord, counts: ReadonlyMap<string, number>): ClusterNode {
    const isSelf = record.id === this.id;
    const activeStreams = isSelf ? this.#options.activeStreams() : 0;
    const isDrained = record.is_drained === 1;
    return {
      id: record.id,
      name: record.name,
      available: isSelf,
      isDrained,
      state: isSelf ? stateOf(isDrained, activeStreams) : 'away',
      isSelf,
      streams: counts.get(record.id) ?? 0,
      activeStreams,
      capacity: isSelf ? this.capacity : null,
      successors: 0,
      version: record.version,
      startedTime: isSelf ? this.#startedMs : null,
      lastSeenTime: isSelf ? this.#options.clock.wallMs() : record.last_seen_ms,
    };
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(run);
    // The next in turn does not care how the one before ended; its own caller is told.
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

function stateOf(isDrained: boolean, activeStreams: number): ClusterNode['state'] {
  if (!isDrained) return 'working';
  return activeStreams > 0 ? 'draining' : 'drained';
}

function unknownNode(id: string): Fault {
  return new Fault('NotFound', `There is no node ${id}.`);
}
