import type { Clock } from '../base/clock.ts';
import type { ClusterMember, ClusterTables, StreamPlace } from '../store/cluster-tables.ts';
import { isWrongClock } from './clock-offset.ts';
import type { ClusterChange } from './cluster-change.ts';

export interface ClusterViewOptions {
  readonly tables: Pick<ClusterTables, 'members' | 'version' | 'places'>;
  readonly clock: Clock;
  /** Of this node. */
  readonly id: string;
}

/**
 * What this node knows about the cluster: which nodes are up, and which node has which stream, as of the last
 * read of the database. It knows the assignments, but not whether this node may act on them: the lease
 * determines that.
 */
export class ClusterView {
  readonly #options: ClusterViewOptions;
  #members: readonly ClusterMember[] = [];
  #places: ReadonlyMap<string, StreamPlace> = new Map();
  /** When `#places` was read, monotonic. */
  #readMs = 0;
  #version = -1;

  constructor(options: ClusterViewOptions) {
    this.#options = options;
  }

  /** All nodes, this one included. */
  get members(): readonly ClusterMember[] {
    return this.#members;
  }

  /** Every stream's assignment, by uid. A read replaces the map and does not change it. */
  get places(): ReadonlyMap<string, StreamPlace> {
    return this.#places;
  }

  /** Version of the assignments; increases with each change. */
  get version(): number {
    return this.#version;
  }

  /** How long ago the assignments were read. */
  get ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#readMs;
  }

  /** The other nodes. */
  get peers(): readonly ClusterMember[] {
    return this.#members.filter(({ id }) => id !== this.#options.id);
  }

  /** Whether a node's lease held. */
  isThere(nodeId: string): boolean {
    return this.#members.some((member) => member.id === nodeId && member.isThere);
  }

  /** Whether this node should hand over its streams. */
  get isDrained(): boolean {
    return this.#members.find((member) => member.id === this.#options.id)?.isDrained === true;
  }

  /** The nodes that are up and whose clocks differ from the database's, this one included. */
  get wrongClocks(): readonly { readonly id: string; readonly aheadMs: number }[] {
    return this.#members.flatMap(({ id, isThere, clockAheadMs: aheadMs }) =>
      isThere && aheadMs !== null && isWrongClock(aheadMs) ? [{ id, aheadMs }] : [],
    );
  }

  /** The epoch that an assignment gives this node; undefined when the stream is not assigned to it. */
  epochOf({ nodeId, nextNodeId, epoch }: StreamPlace): number | undefined {
    const { id } = this.#options;
    if (nodeId === id) return this.#isStopped ? undefined : epoch;
    return nextNodeId === id ? epoch + 1 : undefined;
  }

  /**
   * Reads which nodes are up, and which node has which stream if that has changed, and returns the changes.
   * When the database does not answer, the view stays unchanged.
   */
  async read(): Promise<ClusterChange> {
    const { tables, clock } = this.#options;
    const members = await tables.members();
    const version = await tables.version();
    const places = version === this.#version ? undefined : await tables.places();
    const wasStopped = this.#isStopped;
    const wasThere = new Set(this.#members.filter(({ isThere }) => isThere).map(({ id }) => id));
    const old = this.#places;
    this.#members = members;
    if (places) {
      this.#places = new Map(places.map((place) => [place.uid, place]));
      this.#readMs = clock.monotonicMs();
      this.#version = version;
    }
    const isStopChanged = wasStopped !== this.#isStopped;
    const saved: string[] = [];
    const moved: string[] = [];
    for (const place of this.#places.values()) {
      const known = old.get(place.uid);
      if (known?.changed !== place.changed) saved.push(place.uid);
      const hasNodeChanged = wasThere.has(place.nodeId) !== this.isThere(place.nodeId);
      // For its own streams too: this corrects the report of a node that has lost a stream and is not aware of
      // it yet.
      if (isStopChanged || hasNodeChanged || !isSamePlace(known, place)) moved.push(place.uid);
    }
    return { saved, moved, removed: [...old.keys()].filter((uid) => !this.#places.has(uid)) };
  }

  /** A drained node stops its streams itself if no other node can take them over. */
  get #isStopped(): boolean {
    return this.isDrained && !this.#hasSuccessor;
  }

  get #hasSuccessor(): boolean {
    return this.peers.some(({ isThere, isDrained }) => isThere && !isDrained);
  }
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
