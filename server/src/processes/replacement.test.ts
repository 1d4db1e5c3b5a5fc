import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../base/clock.ts';
import type { FrontProcess } from './front-process.ts';
import { Replacement, type EngineSlot } from './replacement.ts';
import type { ServerProgram } from './server-program.ts';
import type { SupervisedProcess } from './supervised-process.ts';

const clock: Clock = { ...systemClock, after: () => () => {} };
const program = (version: string) => ({ version }) as ServerProgram;

interface Faults {
  /** Processes that end as soon as they start. */
  readonly broken?: readonly string[];
}

/** Runs a replacement of a server; what happened, in order, and which engines run afterwards. */
async function replaced(from: number, to: number, { broken = [] }: Faults = {}) {
  const steps: string[] = [];
  const process = (name: string) =>
    ({
      start: () => void steps.push(`start ${name}`),
      stop: async () => void steps.push(`stop ${name}`),
      kill: () => assert.fail(),
      get ready() {
        return broken.includes(name) ? Promise.reject(new Error(`${name} ended.`)) : Promise.resolve();
      },
    }) as unknown as SupervisedProcess;
  const engine = (name: string, index: number): EngineSlot => ({
    ...{ index, lock: `lock-${index}`, socket: name, isTemporary: false },
    process: process(name),
  });
  const front = (name: string) =>
    ({
      process: process(name),
      replaceEngine: async (path: string, successors: readonly { path: string }[]) => {
        steps.push(`move ${path} to ${successors.map((one) => one.path).join('+')}`);
        return 1;
      },
    }) as unknown as FrontProcess;
  let slots: readonly EngineSlot[] = Array.from({ length: from }, (_, index) => engine(`old${index}`, index));
  let current = front('front1');
  const replacement = new Replacement({
    ...{ program: program('2'), before: program('1'), engines: to, clock },
    progress: (line) => void steps.push(line),
    slots: () => slots,
    front: () => current,
    add: (index) => {
      const slot = engine(`new${index}`, index);
      slots = [...slots, slot];
      return slot;
    },
    drop: (slot) => {
      slots = slots.filter((one) => one !== slot);
    },
    changeFront: ({ version }) => (current = front(`front${version}`)),
    isStopping: () => false,
  });
  const failure = await replacement.run().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { steps, failure, running: slots.map(({ socket }) => socket).join(' ') };
}

test('[R15.1] an engine is started first, then the front is replaced, then the engines one by one', async () => {
  const { steps, failure, running } = await replaced(2, 2);
  assert.equal(failure, undefined);
  assert.deepEqual(steps, [
    'start new0',
    'stop front1',
    'start front2',
    'The front was replaced.',
    'move old0 to new0',
    'stop old0',
    'Engine 0 was replaced, 1 stream moved.',
    'start new1',
    'move old1 to new0+new1',
    'stop old1',
    'Engine 1 was replaced, 1 stream moved.',
  ]);
  assert.equal(running, 'new0 new1');
});

test('[R15.1] another number of engines takes the streams over', async () => {
  assert.equal((await replaced(1, 3)).running, 'new0 new1 new2');
  assert.equal((await replaced(3, 1)).running, 'new0');
  const moves = (await replaced(3, 1)).steps.filter((step) => step.startsWith('move'));
  assert.deepEqual(moves, ['move old0 to new0', 'move old1 to new0', 'move old2 to new0']);
});

test('[R15.1] what does not start changes nothing: the present version goes on', async () => {
  const withoutEngine = await replaced(2, 2, { broken: ['new0'] });
  assert.equal(withoutEngine.failure, 'new0 ended. Version 1 goes on.');
  assert.deepEqual(withoutEngine.steps, ['start new0', 'stop new0']);
  assert.equal(withoutEngine.running, 'old0 old1');

  const withoutFront = await replaced(2, 2, { broken: ['front2'] });
  assert.equal(withoutFront.failure, 'front2 ended. Version 1 goes on.');
  assert.deepEqual(withoutFront.steps.slice(1, 6), [
    'stop front1',
    'start front2',
    'stop front2',
    'stop new0',
    'start front1',
  ]);
  assert.equal(withoutFront.running, 'old0 old1');

  const withoutSecond = await replaced(2, 2, { broken: ['new1'] });
  assert.equal(withoutSecond.failure, 'new1 ended.');
  assert.equal(withoutSecond.running, 'old1 new0');
});
