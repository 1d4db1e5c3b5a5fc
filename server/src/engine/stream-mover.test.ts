import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import type { EngineClient } from './engine-client.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { StreamMover } from './stream-mover.ts';

interface Camera {
  /** What the second session meets. */
  readonly second: 'admitted' | 'refused' | 'ends-first' | 'slow';
}

/** Two engines as a mover sees them, and what it asked of them, in order. */
function scene({ second }: Camera) {
  const calls: string[] = [];
  const point = { atTicks: 1, shiftTicks: 0 };
  let interrupt = () => {};
  let isRunning = true;
  const ended = new Set<EngineClient>();
  const engine = (name: string) =>
    ({
      isConnected: true,
      isStopped: false,
      hello: { canHandOver: true },
      prepare: async () => {
        calls.push(`${name} prepare`);
        if (second === 'refused') throw new Fault('ProbeError', 'The camera answered 453 to PLAY.');
        if (second === 'slow') throw new Fault('Unavailable', 'not in time');
        if (second === 'ends-first') {
          isRunning = false;
          interrupt();
        }
      },
      handOver: async () => {
        calls.push(`${name} hand-over`);
        return point;
      },
      takeOver: async (_: string, from: unknown) => {
        assert.equal(from, point);
        calls.push(`${name} take-over`);
      },
      awaitMoment: async () => void calls.push(`${name} await-moment`),
      release: async () => void calls.push(`${name} release`),
    }) as unknown as EngineClient;
  const [from, to] = [engine('old'), engine('new')];
  const mover = new StreamMover(silentLog);
  const run = async (how: 'move' | 'resume') => {
    calls.length = 0;
    isRunning = true;
    const stream = {
      settings: { uid: 'a', isRecorded: true } as ManagedStreamSettings,
      epoch: 1,
      get isRunning() {
        return isRunning;
      },
      onInterrupted: (run: () => void) => void (interrupt = run),
      hasEnded: async (engine: EngineClient) => ended.has(engine),
      reconnect: () => void calls.push('reconnect'),
      assign: (now: EngineClient) => void calls.push(now === to ? 'assign' : 'assign back'),
    };
    await mover[how](stream, from, to);
    return [...calls];
  };
  return { move: () => run('move'), resume: () => run('resume'), mover, from, to, ended };
}

test('[R15.1] the next engine receives a stream before the present one ends its recording', async () => {
  const { move, mover } = scene({ second: 'admitted' });
  const steps = ['new prepare', 'old hand-over', 'assign', 'new take-over', 'reconnect', 'old release'];
  assert.deepEqual(await move(), steps);
  assert.deepEqual([...mover.singleSession], []);
});

test('[R15.1] a camera that refuses a second connection is not tried again: the present engine ends first', async () => {
  const { move, mover } = scene({ second: 'refused' });
  const steps = ['old await-moment', 'old release', 'assign'];
  assert.deepEqual(await move(), ['new prepare', 'new release', ...steps]);
  assert.deepEqual([...mover.singleSession], ['a']);
  assert.deepEqual(await move(), steps);
});

test('[R15.1] a camera that takes too long for a second connection is moved with an interruption, and tried again the next time', async () => {
  const { move, mover } = scene({ second: 'slow' });
  const steps = ['new prepare', 'new release', 'old await-moment', 'old release', 'assign'];
  assert.deepEqual(await move(), steps);
  assert.deepEqual([...mover.singleSession], []);
  assert.deepEqual(await move(), steps);
});

test('[R15.1] a camera whose second connection ends the first: the present engine gives up, and is not tried again', async () => {
  const { move, mover } = scene({ second: 'ends-first' });
  const steps = [
    'new prepare',
    'old hand-over',
    'old release',
    'assign',
    'new take-over',
    'reconnect',
    'old release',
  ];
  assert.deepEqual(await move(), steps);
  assert.deepEqual([...mover.singleSession], ['a']);
});

test('[R15.2] a stream whose next engine is lost, in any step before that has begun to record, goes on in the present one', async () => {
  for (const step of ['prepare', 'hand-over', 'await-moment'] as const) {
    const { move, mover, from, to } = scene({ second: 'admitted' });
    const lose = () => void Object.assign(to, { isConnected: false });
    if (step === 'await-moment') mover.singleSession.add('a');
    const lost = async () => {
      lose();
      throw new Fault('Unavailable', 'gone');
    };
    if (step === 'prepare') Object.assign(to, { prepare: lost });
    if (step === 'hand-over') Object.assign(from, { handOver: async () => lose() });
    if (step === 'await-moment') Object.assign(from, { awaitMoment: async () => lose() });
    const calls = await move();
    assert.ok(!calls.includes('assign') && !calls.includes('old release'), `${step}: ${calls.join()}`);
  }
});

test('[R15.1] a move that an earlier front has begun is finished', async () => {
  const { resume } = scene({ second: 'admitted' });
  assert.deepEqual(await resume(), ['old hand-over', 'assign', 'new take-over', 'reconnect', 'old release']);
});

test('[R15.2] a stream of an engine that is lost stays there until its process has ended', async () => {
  const { move, from } = scene({ second: 'admitted' });
  Object.assign(from, {
    handOver: async () => {
      Object.assign(from, { isConnected: false });
      throw new Fault('Unavailable', 'gone');
    },
  });
  assert.deepEqual((await move()).at(-1), 'new release');
});

test('[R15.2] a stream whose present engine has ended for certain is recorded on by the next one, which receives it already', async () => {
  for (const how of ['move', 'resume'] as const) {
    const { [how]: begin, from, ended } = scene({ second: 'admitted' });
    Object.assign(from, {
      handOver: async () => {
        Object.assign(from, { isConnected: false });
        ended.add(from);
        throw new Fault('Unavailable', 'gone');
      },
    });
    const calls = await begin();
    assert.equal(calls.at(-1), 'assign', how);
    assert.ok(!calls.includes('new release'), calls.join());
  }
});

test('[R15.2] a stream whose next engine is lost while it takes over goes back to the present one, which holds what is missing', async () => {
  for (const how of ['move', 'resume'] as const) {
    const { [how]: begin, to, ended } = scene({ second: 'admitted' });
    Object.assign(to, {
      takeOver: async () => {
        ended.add(to);
        // Another process has taken its place by now.
        Object.assign(to, { pid: 2 });
        throw new Fault('Unavailable', 'gone');
      },
    });
    const calls = await begin();
    assert.ok(calls.includes('assign back') && !calls.includes('old release'), `${how}: ${calls.join()}`);
  }
});

test('[R15.2] a stream stays where it is if another process has taken the place of the next engine, which receives nothing', async () => {
  const { move, from, to } = scene({ second: 'admitted' });
  const handOver = from.handOver.bind(from);
  Object.assign(from, {
    handOver: (uid: string) => {
      Object.assign(to, { pid: 2 });
      return handOver(uid);
    },
  });
  assert.deepEqual(await move(), ['new prepare', 'old hand-over']);
});

test('[R15.2] an engine that takes too long to take over keeps the stream', async () => {
  const { move, to } = scene({ second: 'admitted' });
  Object.assign(to, {
    takeOver: async () => {
      throw new Fault('Unavailable', 'not in time');
    },
  });
  assert.deepEqual((await move()).slice(-3), ['assign', 'reconnect', 'old release']);
});
