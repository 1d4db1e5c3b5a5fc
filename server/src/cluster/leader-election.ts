import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import {
  leaseMs,
  type ClusterMember,
  type ClusterTables,
  type StreamPlace,
} from '../store/cluster-tables.ts';
import { planMoves, type PlacementInput } from './placement.ts';

/** Minimum time between two moves that only balance the load. */
const balancePeriodMs = 5_000;
/** How long a node that failed to open a source is not assigned that stream again, unless no other is left. */
const refusedMs = 600_000;

/** What the leader decides on: the state of the cluster as of one version. */
export interface LeaderInput {
  readonly version: number;
  readonly members: readonly ClusterMember[];
  readonly places: Iterable<StreamPlace>;
  /** How long ago the assignments were read. */
  readonly ageMs: number;
  /** How long this node's lease has been held without a break. */
  readonly heldMs: number;
}

/** The leading side of a node: one node at a time assigns streams to nodes. */
export class LeaderElection {
  readonly #options: { tables: ClusterTables; clock: Clock; log: Log; id: string };
  readonly #refused = new Map<string, number>();
  #balancedMs: number;

  constructor(options: { tables: ClusterTables; clock: Clock; log: Log; id: string }) {
    this.#options = options;
    this.#balancedMs = options.clock.monotonicMs();
  }

  /** Takes or keeps the leadership and makes the moves that are due; returns whether there were any. */
  async act(view: LeaderInput): Promise<boolean> {
    const { tables, clock, log, id } = this.#options;
    if (!(await tables.lead(id))) return false;
    const nowMs = clock.monotonicMs();
    const places = Array.from(view.places, (place) => ({
      ...place,
      handoverAgeMs: place.nextNodeId === null ? 0 : place.handoverAgeMs + view.ageMs,
    }));
    // When the database was unavailable to all, all leases have expired: every live node renews within one
    // lease time.
    const mayDeclareDead = view.heldMs >= leaseMs;
    const input: PlacementInput = {
      members: view.members,
      places,
      mayDeclareDead,
      mayBalance: mayDeclareDead && nowMs - this.#balancedMs >= balancePeriodMs,
      knows: () => false,
      refused: (nodeId, uid) => (this.#refused.get(`${nodeId} ${uid}`) ?? -Infinity) > nowMs,
    };
    if (planMoves(input).length === 0) return false;
    const keepers = await tables.keepers();
    const knows = (nodeId: string, uid: string) => keepers.get(uid)?.has(nodeId) ?? false;
    const moves = planMoves({ ...input, knows });
    if (!(await tables.move(view.version, moves))) return false;
    this.#balancedMs = nowMs;
    const byUid = new Map(places.map((place) => [place.uid, place]));
    for (const { kind, uid, to } of moves) {
      const place = byUid.get(uid);
      if (to === null) this.#refused.set(`${place?.nextNodeId} ${uid}`, nowMs + refusedMs);
      log.info({ stream: uid, from: place?.nodeId, to, kind }, 'A stream is assigned');
    }
    return true;
  }
}
