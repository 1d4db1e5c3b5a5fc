import type { PermitsReport } from '../base/write-permits.ts';
import { Cluster } from '../cluster/cluster.ts';
import { Membership } from '../cluster/membership.ts';
import { anyReachesDatabase } from '../rpc/database-probe.ts';
import { FederatedArchive } from '../rpc/federated-archive.ts';
import { NodeAuthenticator } from '../rpc/node-authenticator.ts';
import { loadNodeKey, passingNodeKey } from '../rpc/node-key.ts';
import { NodeRpc } from '../rpc/node-rpc.ts';
import { PeerArchive } from '../rpc/peer-archive.ts';
import { PeerImports } from '../rpc/peer-imports.ts';
import { Peers } from '../rpc/peers.ts';
import type { ClusterTables } from '../store/cluster-tables.ts';
import { openClusterTables } from '../store/open-database.ts';
import type { Engines } from './engines.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { Storage } from './storage.ts';

/** This node among others, and what it can request from them. */
export type ClusterArea = Opened<Awaited<ReturnType<typeof openCluster>>>;

/** `fail` is called when this node is expelled and must stop. */
export function composeCluster(
  foundation: Foundation,
  engines: Engines,
  storage: Storage,
  fail: (reason: string) => void,
): Promise<ClusterArea> {
  return opened((closers) => openCluster(foundation, engines, storage, fail, closers));
}

async function openCluster(
  { config, clock, log, version }: Foundation,
  { processes, runId }: Engines,
  { store, archive, limits }: Storage,
  fail: (reason: string) => void,
  closers: Closer[],
) {
  const { id, capacity } = config.node;
  const self = { id, capacity, version, clock, log };
  const key = config.database === null ? passingNodeKey() : await loadNodeKey(config.dataDir);
  const publicKey = key.publicBytes.toString('base64url');
  const tables = config.database === null ? undefined : await openTables(config.database, closers);
  const onLease = (report: PermitsReport) => processes?.noteLease(report);
  const cluster =
    tables && (await Cluster.open({ ...self, runId, publicKey, tables, onExpelled: fail, onLease }));
  const membership = await Membership.open({ ...self, nodes: store.nodes, cluster });
  // Engines that continue need the lease until the next front renews it.
  closers.push(() => membership.close({ isInUse: processes?.areStopped() === false }));
  const peers = new Peers({ self: id, clock, read: () => cluster?.peers ?? [] });
  const between = { self: id, key, peers, clock, allowPlainHttp: config.cluster.allowPlainHttp };
  const nodeAuthenticator = new NodeAuthenticator(between);
  closers.push(() => nodeAuthenticator.close());
  const rpc = new NodeRpc({ ...between, ...(cluster && { isThere: (node) => cluster.isThere(node) }) });
  closers.push(() => rpc.close());
  cluster?.askPeers((ids) => anyReachesDatabase(rpc, ids));
  const peerImports = cluster && new PeerImports({ rpc, peers, clock });
  if (peerImports) closers.push(() => peerImports.close());
  const archiveReader = new FederatedArchive({
    self: id,
    local: archive.reader,
    clock,
    assignmentsOf: (uid) => store.nodes.assignmentsOf(uid),
    peer: (node) => new PeerArchive(rpc, node, clock),
    imported: archive.imported,
    peerImports: {
      nodesWith: (uid) => peerImports?.nodesWith(uid) ?? [],
      of: (node) => new PeerArchive(rpc, node, clock, 'imported'),
    },
    limits,
  });
  return { publicKey, tables, cluster, membership, nodeAuthenticator, rpc, peers, archiveReader };
}

/** On a connection of its own: leases are renewed however busy the database is. */
async function openTables(url: string, closers: Closer[]): Promise<ClusterTables> {
  const tables = await openClusterTables(url);
  closers.push(() => tables.close());
  return tables;
}
