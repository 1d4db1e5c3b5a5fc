import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { Assignments } from './assignments.ts';
import type { EngineSetup } from './engine-protocol.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { StreamManager } from './stream-manager.ts';

const setup: EngineSetup = {
  ...{ archiveDir: '/archive', catalog: '/catalog', noFramesMs: 10_000, logLevel: 'info' },
};

function settingsOf(uid: string, source = 'rtsp://camera/1'): ManagedStreamSettings {
  return {
    ...{ uid, source, subSource: null },
    ...{ allowLoopback: true, isPaused: false, isOnDemand: false, isRecorded: false, findsMotion: false },
    ...{ depthHours: -1, farAfterHours: -1 },
  };
}

/** What an engine is made to do by its assignments; the last GOP of a stream is written when the test says so. */
class Scene {
  /** Running streams: the source of each, by uid. */
  readonly running = new Map<string, string>();
  readonly #writes: (() => void)[] = [];
  readonly assignments = new Assignments({
    open: async () => ({
      recording: { recorders: { backlogShare: 0 }, recoverFirst: () => {}, noteDisk: () => {} },
      streamManager: this.#streamManager(),
    }),
    onProblem: () => {},
    ...{ clock: systemClock, log: silentLog },
  });

  #streamManager(): StreamManager {
    const manager: Pick<StreamManager, 'find' | 'remove'> & {
      apply(settings: ManagedStreamSettings): object;
    } = {
      find: () => undefined,
      apply: ({ uid, source }) => {
        this.running.set(uid, source);
        return { stoodBy: async () => {} };
      },
      remove: async (uid) => {
        this.running.delete(uid);
        await new Promise<void>((resolve) => this.#writes.push(resolve));
      },
    };
    return manager as StreamManager;
  }

  run(uid: string, source?: string): void {
    const settings = settingsOf(uid, source);
    this.assignments.run({ type: 'run', settings, epoch: 0, needsRecovery: false, isSingleSession: false });
  }

  prepare(uid: string): Promise<void> {
    return this.assignments.prepare({ type: 'prepare', id: 1, settings: settingsOf(uid), epoch: 0 });
  }

  finishWrites(): void {
    for (const finish of this.#writes.splice(0)) finish();
  }
}

async function running(uid: string): Promise<Scene> {
  const scene = new Scene();
  await scene.assignments.setUp(setup);
  scene.run(uid);
  return scene;
}

test('a stream that comes back while its last GOP is written begins after that, with the newest settings', async () => {
  const scene = await running('yard');
  const released = scene.assignments.release('yard', 'moved');
  scene.run('yard', 'rtsp://camera/2');
  scene.run('yard', 'rtsp://camera/3');
  assert.deepEqual([...scene.running], []);
  assert.equal(await scene.assignments.permits('yard', 0), true, 'the last GOP may be written');
  scene.finishWrites();
  await released;
  assert.deepEqual([...scene.running], [['yard', 'rtsp://camera/3']]);
  assert.equal(scene.assignments.epochOf('yard'), 0);
});

test('a stream released again while its last GOP is written does not begin, and writes nothing more', async () => {
  const scene = await running('yard');
  const first = scene.assignments.release('yard', 'moved');
  scene.run('yard');
  const second = scene.assignments.release('yard', 'moved');
  scene.finishWrites();
  await Promise.all([first, second]);
  assert.deepEqual([...scene.running], []);
  assert.equal(scene.assignments.epochOf('yard'), undefined);
  assert.equal(await scene.assignments.permits('yard', 0), false);
});

test('a stream that is prepared while its last GOP is written is not received if it is released before', async () => {
  const scene = await running('yard');
  const released = scene.assignments.release('yard', 'moved');
  const prepared = scene.prepare('yard');
  const again = scene.assignments.release('yard', 'moved');
  scene.finishWrites();
  await assert.rejects(prepared, { code: 'Unavailable' });
  await Promise.all([released, again]);
  assert.deepEqual([...scene.running], []);
});

test('an engine that ends begins no stream', async () => {
  const scene = await running('yard');
  const released = scene.assignments.release('yard', 'moved');
  scene.run('yard');
  scene.assignments.end();
  scene.finishWrites();
  await released;
  scene.run('gate');
  assert.deepEqual([...scene.running], []);
});
