import type { ClusterMember, StreamPlace } from '../store/cluster-tables.ts';

/** A node that is up and takes streams. */
export const member = (id: string, changes: Partial<ClusterMember> = {}): ClusterMember =>
  ({
    id,
    isThere: true,
    isDrained: false,
    cannotRecord: false,
    capacity: null,
    clockAheadMs: null,
    ...changes,
  }) as ClusterMember;

/** A stream that a node runs. */
export const place = (uid: string, nodeId: string, changes: Partial<StreamPlace> = {}): StreamPlace => ({
  uid,
  nodeId,
  epoch: 3,
  nextNodeId: null,
  changed: 0,
  status: 'running',
  failureCode: null,
  failureReason: null,
  handoverAgeMs: 0,
  ...changes,
});
