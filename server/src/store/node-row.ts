import type { NodeRow } from './database.ts';
import { flagColumn, rowMapping } from './row-mapping.ts';

/** A server that shares this database, or did so earlier. Times are milliseconds since the epoch. */
export interface NodeRecord {
  /** `node.id` of its configuration. */
  readonly id: string;
  readonly name: string;
  /** It runs no streams until draining is cancelled. */
  readonly isDrained: boolean;
  /** Product version at its last start. */
  readonly version: string;
  readonly joinedMs: number;
  readonly startedMs: number;
  readonly lastSeenMs: number;
  /** Base URL at which its peers reach it; null: it has reported none. */
  readonly address: string | null;
  /** By which its peers identify it. */
  readonly publicKey: string | null;
  /** The maximum number of streams that it runs; null: no limit. */
  readonly capacity: number | null;
  /** Number of streams for which it held a source or a recorder at the last renewal. */
  readonly activeStreams: number;
  /** Its disk can't be written: its streams should move to another node. */
  readonly cannotRecord: boolean;
  /** How far its clock is ahead of the database's; null: not compared yet. */
  readonly clockAheadMs: number | null;
}

export const nodeMapping = rowMapping<NodeRow, NodeRecord>({
  id: 'id',
  name: 'name',
  isDrained: flagColumn('is_drained'),
  version: 'version',
  joinedMs: 'joined_ms',
  startedMs: 'started_ms',
  lastSeenMs: 'last_seen_ms',
  address: 'address',
  publicKey: 'public_key',
  capacity: 'capacity',
  activeStreams: 'active_streams',
  cannotRecord: flagColumn('cannot_record'),
  clockAheadMs: 'clock_ahead_ms',
});
