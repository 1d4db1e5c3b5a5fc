import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { until } from '../base/until-fixture.ts';
import { frame, videoTrack } from '../hub/sample-fixture.ts';
import { Live } from '../live/live.ts';
import { ScriptedSession } from '../ingest/scripted-session.ts';
import type { SourceEngines } from '../ingest/source-engines.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import type { FrontMessage } from './engine-protocol.ts';
import { EngineLives } from './engine-lives.ts';
import { EngineProcesses, type EngineObserver } from './engine-processes.ts';
import { EngineServer } from './engine-server.ts';
import { EngineViewers } from './engine-viewers.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { StreamManager } from './stream-manager.ts';

/** Moves the clock of the tests, and counts what it calls periodically. */
const time = { aheadMs: 0, rounds: 0 };
const clock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() + time.aheadMs,
  every: (periodMs, run) =>
    systemClock.every(periodMs, () => {
      time.rounds++;
      run();
    }),
};
const log = silentLog;

function settingsOf(uid: string): ManagedStreamSettings {
  return {
    uid,
    source: 'rtsp://camera/1',
    subSource: null,
    ...{ allowLoopback: true, isPaused: false, isOnDemand: false, isRecorded: false, findsMotion: false },
    ...{ depthHours: -1, farAfterHours: -1 },
  };
}

/** An engine in this process whose cameras never answer; what it was told, in order. */
class TestEngine {
  readonly orders: string[] = [];
  readonly load = new LoadLevel();
  readonly #sessions: ScriptedSession[] = [];
  readonly path: string;
  epoch = 0;
  readonly streamManager: StreamManager;
  /** It carries out nothing, as while it can't open the archive. */
  keepsOrders = false;
  /** Its archive is not open yet. */
  isStarting = false;
  /** It has ended a stream only then. */
  releasing: Promise<void> = Promise.resolve();
  server: EngineServer;

  constructor(path: string) {
    this.path = path;
    const tools = {
      ...{ clock, log, load: this.load, noFramesMs: 10_000 },
      engines: {
        opener: () => (engine: 'rtsp' | 'av') => {
          const session = new ScriptedSession(engine);
          this.#sessions.push(session);
          return session;
        },
        reach: () => undefined,
      } as unknown as SourceEngines,
      recorders: {
        prepare: () => assert.fail(),
        record: () => assert.fail(),
        endOf: () => assert.fail(),
        remove: () => assert.fail(),
      },
      peerFeed: () => assert.fail(),
      acquire: () => this.epoch,
      permits: () => true,
      reportElsewhere: () => undefined,
      onMotion: () => {},
    };
    this.streamManager = new StreamManager({ ...tools, onState: (uid) => this.server.noteState(uid) });
    this.server = this.#newServer();
  }

  /** Its cameras deliver. */
  deliver(): void {
    for (const { sink } of this.#sessions) {
      sink.tracks([videoTrack]);
      sink.sample(frame(0, { isKey: true }));
      sink.sample(frame(1));
    }
  }

  /** Its cameras fail. */
  fail(): void {
    for (const session of this.#sessions)
      session.fail(new Fault('EHOSTUNREACH', 'The camera does not answer.'));
  }

  #newServer(): EngineServer {
    const { streamManager, orders, load } = this;
    const vitals = {
      ...{ cpuSeconds: 1, memoryBytes: 2, eventLoopDelayMs: 3, uptimeSeconds: 4 },
    };
    return new EngineServer({
      ...{ clock, log, load },
      streamManager: () => (this.isStarting ? undefined : streamManager),
      viewers: new EngineViewers({
        ...{ clock, log },
        streamManager: () => streamManager,
        live: new Live({ clock, log, load }),
        report: () => assert.fail(),
      }),
      vitals: () => vitals,
      commands: {
        setUp: async () => void orders.push('set up'),
        keepEarly: () => {},
        // Only what stops recording: every front says first that the disk is there.
        noteDisk: (isInOrder) => void (isInOrder || orders.push('disk gone')),
        noteLease: ({ verdict }) => void orders.push(`lease ${verdict}`),
        run: ({ settings, needsRecovery }: Extract<FrontMessage, { type: 'run' }>) => {
          orders.push(`run ${settings.uid}${needsRecovery ? ' after recovery' : ''}`);
          if (!this.keepsOrders) streamManager.apply(settings);
        },
        prepare: async ({ settings }) => {
          orders.push(`prepare ${settings.uid}`);
        },
        singleSession: new Set<string>(),
        release: async (uid, cause) => {
          orders.push(`release ${uid} ${cause}`);
          await this.releasing;
          await streamManager.remove(uid, { purge: false, cause });
        },
      },
    });
  }

  /** Its connections end without a word. */
  async crash(): Promise<void> {
    this.server.abandon();
    await this.server.close();
    for (const { uid } of [...this.streamManager.streams()])
      await this.streamManager.remove(uid, { purge: false });
    this.orders.push('crash');
  }

  /** Another process takes its place, with nothing to do. */
  async comeBack(): Promise<void> {
    this.server = this.#newServer();
    await this.server.listen(this.path);
  }
}

/** As the supervisor reports them; `ended`: its process has ended. */
function livesOf(engines: readonly (TestEngine | undefined)[], ended?: TestEngine) {
  return Object.fromEntries(
    engines.map((engine) => [engine?.path ?? '', engine === ended && ended ? null : process.pid]),
  );
}

class Seen implements EngineObserver {
  readonly states: string[] = [];
  readonly motion: MotionEvent[] = [];
  /** Of the streams of the tests. */
  readonly owned = new Set('abcdefg');
  epoch = 0;
  acquire(uid: string): number | undefined {
    return this.owned.has(uid) ? this.epoch : undefined;
  }
  causeOf(): 'moved' {
    return 'moved';
  }
  onState(uid: string): void {
    this.states.push(uid);
  }
  readonly past: string[] = [];
  onPastState(uid: string, { status }: { status: string }): void {
    this.past.push(`${uid} ${status}`);
  }
  onMotion(_: string, event: MotionEvent): void {
    this.motion.push(event);
  }
  onReport(): void {}
  onLine(): void {}
}

const setup = { archiveDir: '/a', catalog: '/b', noFramesMs: 10_000, logLevel: 'info' } as const;

async function withEngines(
  count: number,
  run: (
    engines: readonly TestEngine[],
    connect: (load?: LoadLevel) => Promise<EngineProcesses>,
    lives: EngineLives,
  ) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-engines-'));
  const engines = Array.from({ length: count }, (_, index) => new TestEngine(join(folder, `${index}.sock`)));
  const fronts: EngineProcesses[] = [];
  try {
    await Promise.all(engines.map((engine) => engine.server.listen(engine.path)));
    const lives = new EngineLives();
    lives.note(livesOf(engines));
    const paths = engines.map(({ path }) => path);
    await run(
      engines,
      async (load = new LoadLevel()) => {
        const front = await EngineProcesses.connect({ paths, lives, clock, log, load });
        fronts.push(front);
        return front;
      },
      lives,
    );
  } finally {
    await Promise.all(fronts.map((front) => front.close()));
    await Promise.all(engines.map(({ server }) => server.close()));
    await Promise.all(engines.map(({ streamManager }) => streamManager.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

test('[R15.1] a front that is replaced finds its streams where they run, and what happened meanwhile is delivered to it', async () => {
  await withEngines(2, async ([first, second], connect) => {
    const uids = ['a', 'b', 'c', 'd'];
    const front = await connect();
    front.begin(setup, new Seen());
    for (const uid of uids) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => (first?.streamManager.size ?? 0) + (second?.streamManager.size ?? 0) === 4);
    assert.equal(first?.streamManager.size, 2, 'they are spread evenly');
    await front.close();
    const event = { startMs: 1_000, endMs: 2_000, score: 3, isOpen: false };
    first?.server.noteMotion('a', event);
    const sources = uids.map(
      (uid) => (first?.streamManager.find(uid) ?? second?.streamManager.find(uid))?.stream,
    );

    const next = await connect();
    assert.ok(
      uids.every((uid) => next.isRunning(uid)),
      'their files are being written',
    );
    const seen = new Seen();
    next.begin(setup, seen);
    // Another order, and one stream was removed while no front ran.
    for (const uid of ['d', 'c', 'b']) next.apply(settingsOf(uid));
    next.assigned();
    await until(() => seen.motion.length === 1 && seen.states.includes('d'));
    assert.deepEqual(seen.motion, [event]);
    await until(
      () => first?.orders.at(-1) === 'release a moved' || second?.orders.at(-1) === 'release a moved',
    );
    for (const [index, uid] of uids.entries()) {
      if (uid === 'a') continue;
      const now: unknown = (first?.streamManager.find(uid) ?? second?.streamManager.find(uid))?.stream;
      assert.equal(now, sources[index], `${uid} runs on, in the same process`);
    }
  });
});

test('[R15.1] an engine does not hear of a paused stream until it is resumed, and keeps one that is paused while it runs', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    const seen = new Seen();
    front.begin(setup, seen);
    front.apply({ ...settingsOf('a'), isPaused: true });
    front.apply(settingsOf('b'));
    front.assigned();
    await until(() => seen.states.includes('b'));
    assert.deepEqual(engine?.orders, ['set up', 'run b']);
    assert.equal(front.isRunning('a'), false, 'nothing writes its files');
    assert.ok(front.report('a').isTakenUp, 'another node need not wait for its first fragment');
    assert.deepEqual(await front.details('a'), { tracks: [], lines: [] });
    assert.equal(await front.newestKeyFrame('a'), undefined);

    front.apply(settingsOf('a'));
    await until(() => engine?.streamManager.find('a') !== undefined);
    front.apply({ ...settingsOf('a'), isPaused: true });
    await until(() => engine?.streamManager.find('a')?.state.status === 'paused');
    assert.ok(front.isRunning('a'), 'its last file may still be written');
    await front.remove('a');
    assert.equal(engine?.streamManager.find('a'), undefined);
  });
});

test('[R7.12] an engine connects to the source of an on-demand stream when it learns that a viewer is on its way', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    const seen = new Seen();
    front.begin(setup, seen);
    front.apply({ ...settingsOf('a'), isOnDemand: true });
    front.assigned();
    await until(() => seen.states.includes('a'));
    const running = engine?.streamManager.find('a');
    assert.equal(running?.report.attempts, 0, 'there is no viewer');
    const serving = front.viewerEngine('a');
    serving?.send({ type: 'expect-viewer', uid: 'unknown' });
    serving?.send({ type: 'expect-viewer', uid: 'a' });
    await until(() => running?.report.attempts === 1);
    assert.ok(running?.demand.isHeld, 'the source stays connected until the viewer is there');
  });
});

test('a stream that fails is immediately known to have failed since then, and not since it ran', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    const seen = new Seen();
    const known: string[] = [];
    seen.onState = (uid) => {
      known.push(`${front.reportedState(uid)?.status} ${front.report(uid).sinceMs}`);
    };
    front.begin(setup, seen);
    front.apply(settingsOf('a'));
    front.assigned();
    const report = () => engine?.streamManager.find('a')?.report;
    await until(() => report()?.attempts === 1);
    engine?.deliver();
    await until(() => known.some((line) => line.startsWith('running')));
    const ranMs = report()?.sinceMs ?? 0;
    await until(() => clock.wallMs() > ranMs);
    engine?.fail();
    await until(() => known.some((line) => line.startsWith('failed')));
    assert.equal(known.at(-1), `failed ${report()?.sinceMs}`);
    assert.notEqual(report()?.sinceMs, ranMs);
  });
});

test('[R15.2] an engine that comes back after a crash is told what to run, and puts the recordings in order first', async () => {
  await withEngines(2, async ([first, second], connect) => {
    const front = await connect();
    const seen = new Seen();
    front.begin(setup, seen);
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => first?.streamManager.size === 1 && second?.streamManager.size === 1);
    await until(() => seen.states.includes('a'));
    const orders = second?.orders.length;
    await first?.crash();
    await first?.comeBack();
    await until(() => first?.orders.includes('run a after recovery') === true);
    assert.equal(second?.orders.length, orders, 'the other engine notices nothing');
    assert.equal(front.engines[0]?.losses, 1);
  });
});

test('[R15.2] the streams of an engine that does not come back are taken over once its process has ended', async () => {
  await withEngines(3, async ([first, ...others], connect, lives) => {
    const front = await connect();
    const seen = new Seen();
    front.begin(setup, seen);
    for (const uid of ['a', 'b', 'c', 'd', 'e', 'f']) front.apply(settingsOf(uid));
    front.assigned();
    const sizes = () => [first, ...others].map((engine) => engine?.streamManager.size);
    await until(() => sizes().join() === '2,2,2');
    await first?.crash();
    seen.owned.delete('d');
    front.review('d');
    time.aheadMs = 60_000;
    const { rounds } = time;
    await until(() => time.rounds > rounds + 2);
    assert.deepEqual(sizes(), [0, 2, 2], 'its process may still be writing');
    lives.note(livesOf([first, ...others], first));
    await until(() => sizes().join() === '0,3,2');
    const runs = others.flatMap(({ orders }) => orders).filter((order) => order.startsWith('run a'));
    assert.deepEqual(runs, ['run a after recovery']);
    assert.deepEqual(
      front.engines.map(({ streams }) => streams),
      [0, 3, 2],
    );
    await first?.comeBack();
    await until(() => front.engines[0]?.isConnected === true);
    front.apply(settingsOf('g'));
    await until(() => sizes().join() === '1,3,2');
    assert.deepEqual(first?.orders.slice(first.orders.indexOf('crash') + 1), ['set up', 'run g']);
    seen.owned.add('d');
    front.review('d');
    await until(() => sizes().join() === '2,3,2');
  });
});

test('[R15.2] a front starts without an engine that keeps failing', async () => {
  await withEngines(2, async ([first, second], connect, lives) => {
    await first?.crash();
    lives.note(livesOf([first, second], first));
    const front = await connect();
    front.begin(setup, new Seen());
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => second?.streamManager.size === 2);
    assert.deepEqual(
      front.engines.map(({ isConnected, streams }) => [isConnected, streams]),
      [
        [false, 0],
        [true, 2],
      ],
    );
  });
});

test('a front that has to end while it starts does not wait for its engines, which end first', async () => {
  await withEngines(1, async ([engine], _, lives) => {
    await engine?.crash();
    const stop = new AbortController();
    const load = new LoadLevel();
    const options = { paths: [engine?.path ?? ''], lives, clock, log, load, signal: stop.signal };
    const connecting = EngineProcesses.connect(options);
    stop.abort(new Error('the server ends'));
    await assert.rejects(connecting, /the server ends/);
  });
});

test('a front does not wait for a dormant engine, and has it started for its first stream', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-engines-'));
  const engine = new TestEngine(join(folder, '0.sock'));
  const lives = new EngineLives();
  lives.note({}, [], [engine.path]);
  const woken: string[] = [];
  const wake = (path: string) => void woken.push(path);
  const load = new LoadLevel();
  const front = await EngineProcesses.connect({ paths: [engine.path], lives, wake, clock, log, load });
  try {
    const seen = new Seen();
    front.begin(setup, seen);
    seen.owned.delete('b');
    front.apply(settingsOf('b'));
    front.assigned();
    assert.deepEqual(woken, [], 'another node runs the only stream');
    assert.deepEqual(front.engines, [], 'the statistics show the engines that run');
    assert.ok(front.areStopped(), 'nothing has been written');
    front.apply(settingsOf('a'));
    assert.deepEqual(woken, [engine.path]);
    assert.deepEqual(await front.details('a'), { tracks: [], lines: [] }, 'there is nothing to tell yet');
    assert.equal(await front.newestKeyFrame('a'), undefined);
    lives.note({ [engine.path]: process.pid });
    assert.ok(!front.areStopped());
    await engine.server.listen(engine.path);
    await until(() => engine.orders.includes('run a'));
    assert.deepEqual(
      front.engines.map(({ isConnected, streams }) => [isConnected, streams]),
      [[true, 1]],
    );
  } finally {
    await front.close();
    await engine.server.close();
    await engine.streamManager.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('[R10.8] an engine learns of the lease only once it has no streams of other nodes any more', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    front.begin(setup, new Seen());
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => engine?.streamManager.size === 2);
    await front.close();
    const before = engine?.orders.length;

    const next = await connect();
    const report = { untilMonotonicMs: 1, untilWallMs: 2, verdict: null, lost: [] };
    next.noteLease(report);
    const seen = new Seen();
    // Another node took it over while no front ran.
    seen.owned.delete('a');
    next.begin(setup, seen);
    for (const uid of ['a', 'b']) next.apply(settingsOf(uid));
    next.assigned();
    next.noteLease({ ...report, verdict: 'isolated' });
    await until(() => engine?.orders.at(-1) === 'lease isolated');
    const orders = engine?.orders.slice(before).filter((order) => order !== 'set up' && order !== 'run b');
    assert.deepEqual([...new Set(orders)], ['release a moved', 'lease null', 'lease isolated']);
    await until(() => next.engines[0]?.streams === 1);
  });
});

test('[R10.8] a stream counts as taken up only by reports of the assignment that is in force', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    const seen = new Seen();
    front.begin(setup, seen);
    front.apply(settingsOf('a'));
    front.assigned();
    await until(() => front.report('a').epoch === 0 && front.report('a').isTakenUp);
    seen.epoch = 1;
    front.review('a');
    assert.equal(front.report('a').isTakenUp, false);
    engine!.epoch = 1;
    engine!.streamManager.review();
    await until(() => front.report('a').isTakenUp);
  });
});

test('[R15.2] streams of an engine that cannot record say why, to the next front too', async () => {
  await withEngines(2, async ([first], connect) => {
    const run = async () => {
      const front = await connect();
      front.begin(setup, new Seen());
      for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
      front.assigned();
      return front;
    };
    const states = (front: EngineProcesses) =>
      ['a', 'b'].map((uid) => {
        const { status, reason } = front.reportedState(uid) ?? {};
        return status === 'failed' ? reason : 'no problem';
      });
    const front = await run();
    await until(() => first?.streamManager.size === 1);
    first?.server.noteProblem('No archive.');
    await until(() => states(front).join() === 'No archive.,no problem');
    await front.close();
    const next = await run();
    await until(() => states(next).join() === 'No archive.,no problem');
    first?.server.noteProblem(undefined);
    await until(() => states(next).join() === 'no problem,no problem');
  });
});

test('[R15.2] a stream that is taken over by an engine that cannot record says why', async () => {
  await withEngines(2, async ([first, second], connect, lives) => {
    const front = await connect();
    const seen = new Seen();
    const told: (string | null | undefined)[] = [];
    seen.onState = (uid) => {
      if (uid === 'a') told.push(front.reportedState('a')?.reason);
    };
    front.begin(setup, seen);
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => first?.streamManager.size === 1 && second?.streamManager.size === 1);
    assert.ok(second);
    second.keepsOrders = true;
    second.server.noteProblem('No archive.');
    await until(() => front.reportedState('b')?.reason === 'No archive.');
    await first?.crash();
    lives.note(livesOf([first, second], first));
    time.aheadMs = 60_000;
    await until(() => told.at(-1) === 'No archive.');
  });
});

for (const isLate of [false, true])
  test(`[R15.5] the streams of an engine that crashes without a note${isLate ? ' and takes long to come back' : ''} are divided until the cause is alone, and in quarantine`, async () => {
    await withEngines(2, async ([first, second], connect, lives) => {
      const front = await connect();
      const seen = new Seen();
      front.begin(setup, seen);
      for (const uid of ['a', 'b', 'c', 'd']) front.apply(settingsOf(uid));
      front.assigned();
      const size = () => (first?.streamManager.size ?? 0) + (second?.streamManager.size ?? 0);
      await until(() => size() === 4);
      const isInQuarantine = () => /three times/.test(front.reportedState('c')?.reason ?? '');
      const losses = () => front.engines.reduce((sum, { losses: some }) => sum + some, 0);
      let isReported = false;
      seen.onState = (uid) => {
        isReported ||= uid === 'c' && isInQuarantine();
      };
      let crashes = 0;
      while (!isInQuarantine() && crashes < 6) {
        const dead = first?.streamManager.find('c') ? first : second;
        lives.note(livesOf([first, second]));
        await dead?.crash();
        await until(() => losses() === crashes + 1);
        lives.note(livesOf([first, second], isLate ? dead : undefined), [process.pid]);
        if (isLate) {
          // The other one takes over what may run there.
          time.aheadMs += 2_000;
          const { rounds } = time;
          await until(() => time.rounds > rounds + 10);
        }
        await dead?.comeBack();
        await until(() => size() === (isInQuarantine() ? 3 : 4));
        crashes++;
      }
      assert.ok(isInQuarantine() && crashes <= 4, `${crashes} crashes`);
      assert.ok(isReported);
      for (const uid of ['a', 'b', 'd']) assert.notEqual(front.reportedState(uid)?.status, 'failed');
    });
  });

test('[R15.5] the streams of the only engine are divided with a temporary one, which is ended when an hour has passed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-engines-'));
  const engines = ['0', '1'].map((name) => new TestEngine(join(folder, `${name}.sock`)));
  const [only, temporary] = engines;
  assert.ok(only && temporary);
  const place = { path: temporary.path, index: 1 };
  const lives = new EngineLives();
  const supervised = { isAdded: false, ended: [] as string[] };
  const noteLives = (crashed: readonly number[] = []) =>
    lives.note(
      livesOf(supervised.isAdded ? engines : [only]),
      crashed,
      [],
      supervised.isAdded ? place : undefined,
    );
  await only.server.listen(only.path);
  noteLives();
  const front = await EngineProcesses.connect({
    ...{ paths: [only.path], lives, clock, log, load: new LoadLevel() },
    addEngine: () => {
      supervised.isAdded = true;
      noteLives();
      void temporary.server.listen(temporary.path);
    },
    endEngine: (path) => void supervised.ended.push(path),
  });
  try {
    front.begin(setup, new Seen());
    for (const uid of ['a', 'b', 'c', 'd']) front.apply(settingsOf(uid));
    front.assigned();
    const size = () => only.streamManager.size + temporary.streamManager.size;
    const isInQuarantine = () => /three times/.test(front.reportedState('b')?.reason ?? '');
    const losses = () => front.engines.reduce((sum, { losses: some }) => sum + some, 0);
    let crashes = 0;
    while (!isInQuarantine() && crashes < 6) {
      await until(() => size() === 4);
      assert.equal(supervised.isAdded, crashes > 1, 'from the second crash on');
      const dead = only.streamManager.find('b') ? only : temporary;
      noteLives();
      await dead.crash();
      await until(() => losses() === crashes + 1);
      noteLives([process.pid]);
      await dead.comeBack();
      crashes++;
      await until(() => isInQuarantine() || (size() === 4 && front.engines.length === 2) || crashes === 1);
    }
    assert.ok(isInQuarantine() && crashes <= 4, `${crashes} crashes`);
    await until(() => size() === 3);
    for (const uid of ['a', 'c', 'd']) assert.notEqual(front.reportedState(uid)?.status, 'failed');
    assert.deepEqual(supervised.ended, [], 'another crash may say more');
    for (const engine of engines) engine.deliver();
    time.aheadMs += 3_600_000;
    await until(() => supervised.ended.length > 0);
    assert.deepEqual(supervised.ended, [temporary.path]);
    assert.deepEqual([only.streamManager.size, temporary.streamManager.size], [3, 0]);
    const { rounds } = time;
    await until(() => time.rounds > rounds + 5);
    assert.equal(front.engines.length, 1, 'the front does not connect with it again');
  } finally {
    await front.close();
    await Promise.all(engines.map(({ server }) => server.close()));
    await Promise.all(engines.map(({ streamManager }) => streamManager.close()));
    await rm(folder, { recursive: true, force: true });
  }
});

test('[R15.5] streams that wait for a temporary engine run in the only one if it does not come', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-engines-'));
  const only = new TestEngine(join(folder, '0.sock'));
  const lives = new EngineLives();
  lives.note(livesOf([only]));
  await only.server.listen(only.path);
  let requests = 0;
  const addEngine = () => void requests++;
  const front = await EngineProcesses.connect({
    ...{ paths: [only.path], lives, clock, log, load: new LoadLevel(), addEngine },
  });
  try {
    front.begin(setup, new Seen());
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    for (let crashes = 1; crashes <= 2; crashes++) {
      await until(() => only.streamManager.size === 2);
      lives.note(livesOf([only]));
      await only.crash();
      await until(() => front.engines[0]?.losses === crashes);
      lives.note(livesOf([only]), [process.pid]);
      await only.comeBack();
      await until(() => front.engines[0]?.isConnected === true);
    }
    assert.equal(requests, 1);
    await until(() => only.streamManager.find('b') !== undefined);
    assert.equal(only.streamManager.find('a'), undefined);
    time.aheadMs += 10_000;
    await until(() => only.streamManager.size === 2);
    assert.equal(only.orders.at(-1), 'run a after recovery');
  } finally {
    await front.close();
    await only.server.close();
    await only.streamManager.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('a key frame, tracks and log lines come from the process that runs the stream', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    front.begin(setup, new Seen());
    front.apply(settingsOf('a'));
    front.assigned();
    await until(() => engine?.streamManager.size === 1);
    assert.equal(await front.newestKeyFrame('a'), undefined, 'before the first');
    const stream = engine!.streamManager.get('a').stream;
    stream.setTracks([videoTrack]);
    stream.write(frame(0, { isKey: true, size: 5_000 }));
    stream.write(frame(1));
    const found = await front.newestKeyFrame('a');
    assert.deepEqual(found?.track, videoTrack);
    assert.equal(found?.sample.dts, frame(0).dts);
    assert.equal(found?.sample.size, 5_000);
    const { tracks, lines } = await front.details('a');
    assert.deepEqual(
      tracks.map(({ codec }) => codec),
      ['h264'],
    );
    assert.match(lines[0]?.message ?? '', /^Connecting to/);
    assert.deepEqual(await front.details('b'), { tracks: [], lines: [] }, 'of a stream that none runs');
  });
});

test('an engine that is starting has nothing to tell of its streams yet', async () => {
  await withEngines(1, async ([engine], connect) => {
    assert.ok(engine);
    engine.isStarting = true;
    const front = await connect();
    front.begin(setup, new Seen());
    front.apply(settingsOf('a'));
    front.assigned();
    await until(() => engine.orders.includes('run a'));
    assert.deepEqual(await front.details('a'), { tracks: [], lines: [] }, 'the archive is being opened');
    engine.isStarting = false;
    await engine.streamManager.remove('a', { purge: false });
    assert.deepEqual(await front.details('a'), { tracks: [], lines: [] }, 'the stream has not begun');
  });
});

test('[R15.4] what waits is passed on to all engines, and a front that starts takes it back', async () => {
  await withEngines(2, async (engines, connect) => {
    const load = new LoadLevel();
    const front = await connect(load);
    const reached = (level: number) => until(() => engines.every((engine) => engine.load.level === level));
    load.set(4);
    await reached(4);
    await front.close();
    load.set(5);
    await connect();
    await reached(0);
  });
});

test('[R10.4] engines learn that the disk may not be written to, also those that connect later', async () => {
  await withEngines(2, async ([first, second], connect) => {
    const front = await connect();
    front.begin(setup, new Seen());
    front.assigned();
    front.noteDisk(false);
    front.noteDisk(false);
    await until(() => [first, second].every((engine) => engine?.orders.includes('disk gone')));
    await first?.crash();
    await first?.comeBack();
    await until(() => first?.orders.at(-1) === 'disk gone');
    assert.deepEqual(
      second?.orders.filter((order) => order === 'disk gone'),
      ['disk gone'],
    );
  });
});

test('[R10.4] streams that no engine could record before are put in order by the front, once their disk is there', async () => {
  await withEngines(1, async ([engine], connect) => {
    const front = await connect();
    front.begin(setup, new Seen());
    front.apply(settingsOf('a'));
    front.assigned();
    await until(() => engine?.streamManager.size === 1);
    await front.close();

    const next = await connect();
    next.noteDisk(false);
    next.begin(setup, new Seen());
    for (const uid of ['a', 'b']) next.apply(settingsOf(uid));
    next.assigned();
    assert.deepEqual([next.isRunning('a'), next.isRunning('b')], [true, false]);
    next.noteDisk(true);
    assert.deepEqual([next.isRunning('a'), next.isRunning('b')], [true, true]);
  });
});

test('[R15.1] a stream that is removed while its engine is being replaced is not started again in the next one', async () => {
  await withEngines(2, async ([first, second], connect) => {
    assert.ok(first && second);
    const front = await connect();
    front.begin(setup, new Seen());
    for (const uid of ['a', 'b']) front.apply(settingsOf(uid));
    front.assigned();
    await until(() => first.streamManager.size === 1 && second.streamManager.size === 1);
    const uid = first.streamManager.find('a') ? 'a' : 'b';
    first.deliver();
    await until(() => front.viewerEngine(uid) !== undefined);
    // Its last GOP is being written.
    const written = Promise.withResolvers<void>();
    first.releasing = written.promise;
    const removing = front.remove(uid);
    await until(() => first.orders.includes(`release ${uid} removed`));
    const replacing = front.replace(first.path, [{ path: second.path, index: 1 }]);
    const { rounds } = time;
    await until(() => time.rounds > rounds + 5);
    written.resolve();
    await Promise.all([removing, replacing]);
    const orders = second.orders.filter((order) => order.endsWith(` ${uid}`));
    assert.deepEqual(orders, []);
  });
});

test('[R15.1] a front that takes the place of one that was killed while it moved a stream finishes the move', async () => {
  await withEngines(2, async ([first, second], connect) => {
    assert.ok(first && second);
    const begin = async () => {
      const front = await connect();
      front.begin(setup, new Seen());
      front.apply(settingsOf('a'));
      front.assigned();
      return front;
    };
    const front = await begin();
    await until(() => first.streamManager.size + second.streamManager.size === 1);
    const [from, to] = first.streamManager.size === 1 ? [first, second] : [second, first];
    from.deliver();
    await until(() => from.streamManager.state('a').status === 'running');
    await front.close();
    void from.streamManager.get('a').handOver();
    to.streamManager.apply(settingsOf('a'), 'standby');

    const next = await begin();
    assert.ok(next.isRunning('a'), 'the last GOP may still be on its way to the disk');
    await until(() => from.streamManager.size === 0);
    assert.equal(to.streamManager.find('a')?.role, 'active');
    assert.equal(from.orders.filter((order) => order === 'run a').length, 1, from.orders.join());
    assert.ok(!to.orders.some((order) => order.startsWith('release a')), to.orders.join());
  });
});

test('[R15.1] a front that has just started moves a stream only when it knows whether the stream runs', async () => {
  await withEngines(2, async ([first, second], connect) => {
    const uids = ['a', 'b'];
    const begin = async () => {
      const front = await connect();
      front.begin(setup, new Seen());
      for (const uid of uids) front.apply(settingsOf(uid));
      front.assigned();
      return front;
    };
    const front = await begin();
    await until(() => first?.streamManager.size === 1 && second?.streamManager.size === 1);
    await front.close();
    const uid = first?.streamManager.find('a') ? 'a' : 'b';
    first?.deliver();
    await until(() => first?.streamManager.state(uid).status === 'running');
    const next = await begin();
    const successors = [{ path: second?.path ?? '', index: 1 }];
    assert.equal(await next.replace(first?.path ?? '', successors), 1);
    assert.ok(second?.orders.includes(`prepare ${uid}`), second?.orders.join());
  });
});
