import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { silentLog, type Log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { ClusterTables, Joining, Move, StreamPlace } from '../store/cluster-tables.ts';
import { WritePermits } from '../base/write-permits.ts';
import { Cluster } from './cluster.ts';
import type { ClusterChange } from './cluster-change.ts';
import { member, place } from './cluster-fixture.ts';

/** Node `a` of two, on a database whose rows a test sets. */
class Scene {
  readonly clock = new ManualClock();
  /** Of a process that records for this node. */
  readonly engine = new WritePermits(this.clock);
  readonly lines: string[] = [];
  readonly reports: ClusterChange[] = [];
  readonly expelled: string[] = [];
  readonly moves: Move[] = [];
  readonly left: string[] = [];
  members = [member('a'), member('b')];
  rows: StreamPlace[] = [];
  version = 1;
  joining: Joining = 'joined';
  isKnown = true;
  isAway = false;
  isLeader = false;
  isReady = false;
  /** Thrown for a change that could not be applied. */
  rejection: Error | undefined;
  /** The answer of the peers about the database. */
  peersReach = false;
  asked: readonly string[] = [];

  /** The database, which answers each query with the state of that moment. */
  readonly #tables = {
    join: () => this.#answer(() => this.joining),
    renew: () => this.#answer(() => (this.isKnown ? this.clock.wallMs() : undefined)),
    members: () => this.#answer(() => this.members),
    version: () => this.#answer(() => this.version),
    places: () => this.#answer(() => this.rows),
    complete: (uid: string, epoch: number, to: string) =>
      this.#answer(() => {
        this.change(uid, { nodeId: to, nextNodeId: null, epoch: epoch + 1 });
        return true;
      }),
    lead: () => this.#answer(() => this.isLeader),
    keepers: () => this.#answer(() => new Map<string, Set<string>>()),
    move: (version: number, moves: readonly Move[]) =>
      this.#answer(() => {
        assert.equal(version, this.version);
        this.moves.push(...moves);
        for (const { uid, to, epoch } of moves) this.change(uid, { nodeId: to ?? '', epoch: epoch + 1 });
        return true;
      }),
    leave: (id: string) => this.#answer(() => void this.left.push(id)),
  };

  async open(): Promise<Cluster> {
    const log: Log = {
      ...silentLog,
      info: (_: unknown, text?: string) => void this.lines.push(text ?? ''),
      warn: (_: unknown, text?: string) => void this.lines.push(text ?? ''),
      error: (_: unknown, text?: string) => void this.lines.push(text ?? ''),
    };
    const cluster = await Cluster.open({
      tables: this.#tables as unknown as ClusterTables,
      clock: this.clock,
      log,
      id: 'a',
      runId: 'run',
      capacity: null,
      version: '1.2.3',
      publicKey: 'key',
      onExpelled: (reason) => void this.expelled.push(reason),
      onLease: (report) => this.engine.note(report),
    });
    cluster.attach({
      report: () => ({ activeStreams: 0, cannotRecord: false }),
      isReady: () => this.isReady,
      onChange: (change) => {
        this.reports.push(change);
        return this.rejection ? Promise.reject(this.rejection) : Promise.resolve();
      },
    });
    cluster.askPeers((ids) => {
      this.asked = ids;
      return Promise.resolve(this.peersReach);
    });
    return cluster;
  }

  /** Advances the clock by this many beats of a second. */
  async beat(count = 1): Promise<void> {
    for (let done = 0; done < count; done++) {
      this.clock.advance(1_000);
      await settle();
    }
  }

  change(uid: string, changes: Partial<StreamPlace>): void {
    this.rows = this.rows.map((row) => (row.uid === uid ? { ...row, ...changes } : row));
    this.version++;
  }

  #answer<Value>(of: () => Value): Promise<Value> {
    return this.isAway ? Promise.reject(new Error('No answer')) : Promise.resolve(of());
  }
}

/** A scene in which stream `one` is this node's, `two` is b's, and this node beats. */
async function running(changes: Partial<Scene> = {}) {
  const scene = Object.assign(new Scene(), { rows: [place('one', 'a'), place('two', 'b')] }, changes);
  const cluster = await scene.open();
  cluster.start();
  scene.clock.advance(0);
  await settle();
  return { scene, cluster };
}

const fails = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R10.8] the state at startup is known; later changes are reported once', async () => {
  const { scene, cluster } = await running();
  assert.equal(scene.reports.length, 0);
  assert.deepEqual(
    [cluster.acquire('one'), cluster.acquire('two'), cluster.acquire('no')],
    [3, undefined, undefined],
  );
  assert.deepEqual([cluster.owns('one'), cluster.nodeElsewhere('two')], [true, 'b']);
  scene.change('two', { status: 'failed', failureCode: 'UNREACHABLE_ERR', failureReason: 'No answer.' });
  await scene.beat(3);
  assert.deepEqual(scene.reports, [{ saved: [], moved: ['two'], removed: [] }]);
  assert.deepEqual(cluster.reportElsewhere('two'), {
    status: 'failed',
    code: 'UNREACHABLE_ERR',
    reason: 'No answer.',
  });
  scene.members = [member('a'), member('b', { isThere: false })];
  await scene.beat();
  assert.equal(cluster.reportElsewhere('two')?.status, 'pending');
  assert.deepEqual(scene.reports[1]?.moved, ['two']);
});

test('a change that could not be applied is reported again with later ones', async () => {
  const { scene } = await running({ rejection: new Fault('Unavailable', 'away') });
  scene.change('two', { changed: 1 });
  await scene.beat();
  scene.change('one', { changed: 2 });
  scene.rejection = undefined;
  await scene.beat(2);
  assert.deepEqual(
    scene.reports.map(({ saved }) => saved),
    [['two'], ['two', 'one']],
  );
});

test('this node’s own changes are read immediately', async () => {
  const { scene, cluster } = await running();
  scene.rows = [place('two', 'b')];
  scene.version++;
  await cluster.refresh();
  assert.deepEqual(scene.reports, [{ saved: [], moved: [], removed: ['one'] }]);
});

test('[R10.8] isolated from the database, running streams continue; streams that were taken meanwhile are no longer written', async () => {
  const { scene, cluster } = await running();
  scene.isAway = true;
  await scene.beat(3);
  assert.deepEqual([cluster.reachesDatabase, cluster.permits('one', 3)], [false, true]);
  await scene.beat(3);
  assert.deepEqual(scene.asked, ['b']);
  assert.deepEqual([cluster.acquire('one'), cluster.permits('one', 3)], [3, true]);
  assert.equal(scene.engine.permits('one', 3), true);
  assert.deepEqual(scene.reports, []);
  scene.isAway = false;
  scene.change('one', { nodeId: 'b', epoch: 4 });
  await scene.beat();
  assert.deepEqual([cluster.acquire('one'), cluster.permits('one', 3)], [undefined, false]);
  assert.equal(scene.engine.permits('one', 3), false);
  assert.deepEqual(scene.reports, [{ saved: [], moved: ['one'], removed: [] }]);
  scene.change('one', { nodeId: 'a', epoch: 5 });
  await scene.beat();
  assert.deepEqual([cluster.acquire('one'), cluster.permits('one', 5)], [5, true]);
  assert.equal(cluster.reachesDatabase, true);
});

test('[R10.8] a node that is cut off while another reaches the database is fenced, until it is back', async () => {
  const { scene, cluster } = await running({ peersReach: true });
  scene.isAway = true;
  await scene.beat(4);
  assert.equal(cluster.acquire('one'), 3);
  await scene.beat();
  assert.deepEqual(
    [cluster.acquire('one'), cluster.permits('one', 3), cluster.owns('one')],
    [undefined, false, false],
  );
  assert.equal(scene.engine.permits('one', 3), false);
  assert.deepEqual(scene.reports, [{ saved: [], moved: ['one', 'two'], removed: [] }]);
  scene.isAway = false;
  await scene.beat();
  assert.deepEqual([cluster.acquire('one'), cluster.permits('one', 3)], [3, true]);
  assert.deepEqual(scene.reports[1]?.moved, ['one']);
  assert.deepEqual(scene.lines, [
    'The lease of this node could not be renewed; retrying',
    'The lease has expired, and another node reaches the database: it takes over the streams of this node',
    'The database answers again',
  ]);
});

test('[R10.8] while it is undecided whether the lease holds, writers wait', async () => {
  const { scene, cluster } = await running();
  scene.clock.sleep(6_000);
  const permitted = cluster.permits('one', 3);
  assert.ok(permitted instanceof Promise);
  scene.change('one', { nodeId: 'b', epoch: 4 });
  await scene.beat();
  assert.equal(await permitted, false);
});

test('[R10.8] a handed over stream is taken once it is recorded here, or if it does not run', async () => {
  const { scene, cluster } = await running();
  scene.change('two', { nextNodeId: 'a' });
  await scene.beat(2);
  assert.deepEqual([cluster.acquire('two'), cluster.owns('two')], [4, false]);
  scene.isReady = true;
  await scene.beat();
  assert.deepEqual([cluster.acquire('two'), cluster.owns('two')], [4, true]);
  assert.deepEqual(
    scene.reports.map(({ moved }) => moved),
    [['two'], ['two']],
  );
});

test('[R10.8] the leader takes the streams of a dead node once its own lease has held for five seconds', async () => {
  const { scene, cluster } = await running({
    isLeader: true,
    members: [member('a'), member('b', { isThere: false })],
  });
  await scene.beat(3);
  assert.deepEqual(scene.moves, []);
  await scene.beat(3);
  assert.deepEqual(scene.moves, [{ kind: 'take', uid: 'two', epoch: 3, to: 'a', gone: 'b' }]);
  assert.equal(cluster.owns('two'), true);
});

test('a server whose name is in use waits for the lease to expire, and then gives up', async () => {
  const scene = Object.assign(new Scene(), { joining: 'taken' });
  const opened = assert.rejects(scene.open(), fails('Unavailable'));
  for (let waited = 0; waited < 20; waited++) {
    await settle();
    scene.clock.advance(500);
  }
  await opened;
  await assert.rejects(
    Object.assign(new Scene(), { joining: 'unknown' }).open(),
    fails('ActionNotAcceptable'),
  );
});

test('a node that was removed, or replaced while it was away, must stop', async () => {
  for (const [joining, reason] of [
    ['unknown', /does not know the node a/],
    ['taken', /Another server on the database is called a/],
  ] as const) {
    const { scene, cluster } = await running();
    Object.assign(scene, { joining, isKnown: false });
    scene.clock.sleep(6_000);
    await scene.beat();
    assert.match(scene.expelled.join(), reason);
    assert.equal(cluster.acquire('one'), undefined);
  }
});

test('a stopping node releases its lease after the beat in progress, and reports nothing more', async () => {
  const { scene, cluster } = await running();
  await cluster.close();
  scene.change('two', { changed: 1 });
  await scene.beat(3);
  assert.deepEqual([scene.left, scene.reports, scene.clock.pendingTimers], [['a'], [], 0]);
});

test('[R10.8] a process that is followed by another while engines record keeps the lease', async () => {
  const { scene, cluster } = await running();
  await cluster.close(true);
  assert.deepEqual(scene.left, []);
  assert.equal(scene.engine.permits('one', 3), true);
  scene.clock.advance(5_000);
  assert.equal(scene.engine.lease.state, 'undecided', 'nothing renews it any more');
});
