import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './api.ts';
import { encodeSceneClip, engines, main, Scene } from './engine-scene.ts';
import { breaksOf, numbered, recordedNumbers } from './numbered-frames.ts';
import type { FakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';
import { partsOf, startServer } from './server.ts';

/** Long ones, so that what happens within one can be told apart... */
const longGop = 80;
/** ...and some that are each written to the disk as a whole: a recording can't continue within a GOP. */
const wholeGop = 20;

const clips = new Map<number, CameraClip>();

before(async () => {
  for (const gopFrames of [longGop, wholeGop])
    clips.set(gopFrames, await encodeSceneClip({ gopFrames, frames: 2 * longGop }));
});

/**
 * The next engine gets each frame two frames later than the present one, which would otherwise end its recording with the GOP
 * that the next one has just begun to receive, whenever it is the slower of the two.
 */
const camera = () => ({ ...numbered(), lagMs: (session: number) => (session === 0 ? 0 : 100) });

/**
 * When something happens in a replacement: so many frames into the first GOP that the next engine receives as a whole. The
 * present engine is told to end its recording when that GOP begins, which it does where the next one begins: what comes later
 * is recorded by the next engine.
 */
interface Moment {
  readonly gopFrames: number;
  readonly framesIn: number;
}

/** How many sessions each of the cameras has had. */
const sessionsOf = ({ cameras }: Scene) => cameras.map(({ playedFrom }) => playedFrom.length);

/** Resolves when it is that moment for the first of the next engine's cameras. */
async function handingOver(
  { cameras }: Scene,
  sessions: readonly number[],
  { gopFrames, framesIn }: Moment,
): Promise<void> {
  const isMoment = ({ playedFrom, frames }: FakeCamera, before = 0) => {
    const from = playedFrom[before];
    return from !== undefined && frames > Math.ceil(from / gopFrames) * gopFrames + framesIn;
  };
  await until(
    () => cameras.some((camera, index) => isMoment(camera, sessions[index])),
    (isReached) => isReached,
  );
}

/** One of the processes at that moment; `before`: the engines before the replacement. */
type Victim = (scene: Scene, before: readonly number[]) => Promise<number | undefined>;

const nextEngine: Victim = async (scene, before) =>
  (await scene.processes('engine-main.ts')).find((pid) => !before.includes(pid));

/**
 * Replaces the processes of a server, and sends a signal to one of them while streams are handed over: no frame is recorded
 * twice.
 * @param mostLost frames of a stream, in one place
 */
async function struckWhileReplaced(
  moment: Moment,
  victim: Victim,
  { signal = 'SIGKILL' as NodeJS.Signals, mostLost = 0 } = {},
): Promise<void> {
  const clip = clips.get(moment.gopFrames);
  assert.ok(clip);
  const scene = await Scene.open(clip, undefined, camera);
  try {
    const sessions = sessionsOf(scene);
    const before = await scene.processes('engine-main.ts');
    const restarting = scene.command(main, 'restart');
    await handingOver(scene, sessions, moment);
    process.kill((await victim(scene, before)) ?? 0, signal);
    const { code, output } = await restarting;
    assert.equal(code, 0, output);
    await scene.goesOn(1_000);
    for (const [index, uid] of scene.uids.entries()) {
      if (mostLost === 0) await scene.numbersInOnePiece(uid);
      const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
      assert.equal(repeated, 0);
      assert.ok(losses.length <= 1, `${losses.join()} of ${index}`);
      for (const lost of losses) assert.ok(lost <= mostLost, `${lost} frames of ${index}`);
    }
    await scene.endsInOrder();
  } finally {
    await scene.close();
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('servers whose processes are killed while they are replaced', { concurrency: 2 }, () => {
  test('[R15.1] no frame is lost or recorded twice when the front is killed while streams are handed over', () =>
    struckWhileReplaced({ gopFrames: longGop, framesIn: longGop / 4 }, (scene) => scene.front()));

  test('[R15.1] no frame is lost or recorded twice when the front stops responding while streams are handed over', () =>
    struckWhileReplaced({ gopFrames: longGop, framesIn: longGop / 4 }, (scene) => scene.front(), {
      signal: 'SIGSTOP',
    }));

  test('[R15.2] all processes end in order when the supervisor is killed while streams are handed over, and the next server records on', async () => {
    const clip = clips.get(longGop);
    assert.ok(clip);
    const scene = await Scene.open(clip, undefined, camera);
    try {
      const sessions = sessionsOf(scene);
      const restarting = scene.command(main, 'restart');
      await handingOver(scene, sessions, { gopFrames: longGop, framesIn: longGop / 4 });
      const parts = partsOf(scene.server.pid);
      assert.ok(parts.length > engines, 'two engines of the same streams run');
      process.kill(scene.server.pid, 'SIGKILL');
      assert.notEqual((await restarting).code, 0, 'the command says that it did not finish');
      await until(
        async () => parts.filter(isThere),
        (left) => left.length === 0,
      );
      assert.equal(await scene.check(), 'The archive is in order.\n');
      const { dataDir, url } = scene.server;
      const env = { VIDETTE_ENGINE_PROCESSES: String(engines) };
      const next = await startServer({ dataDir, port: Number(new URL(url).port), env });
      try {
        await scene.goesOn(1_000);
        for (const uid of scene.uids) {
          const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
          assert.equal(repeated, 0);
          assert.ok(losses.length <= 1, `${losses.join()}: what passed between the servers`);
        }
      } finally {
        await next.stop();
      }
      assert.equal(await scene.check(), 'The archive is in order.\n');
    } finally {
      await scene.close();
    }
  });

  // While it waits for the frame at which it begins, and when it has just begun.
  for (const [signal, framesIn] of [
    ['SIGKILL', 0],
    ['SIGKILL', wholeGop + 2],
    ['SIGSTOP', wholeGop + 2],
  ] as const)
    test(`[R15.1] no frame is lost or recorded twice when the next engine gets ${signal} ${framesIn} frames after streams are handed over to it`, () =>
      struckWhileReplaced({ gopFrames: wholeGop, framesIn }, nextEngine, { signal }));

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
    test(`[R15.1] a GOP is lost at most, and nothing recorded twice, when the present engine gets ${signal} while its streams are handed over`, () =>
      struckWhileReplaced({ gopFrames: longGop, framesIn: longGop / 4 }, async (_, [first]) => first, {
        signal,
        mostLost: longGop,
      }));
});
