import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './api.ts';
import { encodeSceneClip, main, Scene } from './engine-scene.ts';
import { recorded } from './footage.ts';
import { breaksOf, numbered, recordedNumbers } from './numbered-frames.ts';
import type { FakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';

/** Long, so that what happens within one can be told apart. */
const gopFrames = 80;

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip({ gopFrames, frames: 2 * gopFrames });
});

/** Resolves to a camera whose stream the next engine has begun to receive, while the present one records it still. */
function secondSession({ cameras }: Scene, connections: readonly number[]): Promise<FakeCamera> {
  const begun = () => cameras.find((camera, index) => camera.connections > (connections[index] ?? 0));
  return until(begun, (camera) => camera !== undefined) as Promise<FakeCamera>;
}

/** Resolves when a camera is so many frames into a GOP that begins from now on: the present engine is ending its recording. */
async function intoNextGop(camera: FakeCamera, frames: number): Promise<void> {
  const keyAt = Math.ceil((camera.frames + 1) / gopFrames) * gopFrames;
  await until(
    () => camera.frames,
    (sent) => sent >= keyAt + frames,
  );
}

describe('servers whose processes are killed while they are replaced', { concurrency: 2 }, () => {
  test('[R15.1] no frame is lost or recorded twice when the front is killed while streams are handed over', async () => {
    const scene = await Scene.open(clip, undefined, numbered);
    const { uids, server, cameras } = scene;
    try {
      const connections = cameras.map((camera) => camera.connections);
      const restarting = scene.command(main, 'restart');
      await intoNextGop(await secondSession(scene, connections), gopFrames / 4);
      process.kill(await scene.front(), 'SIGKILL');
      const { code, output } = await restarting;
      assert.equal(code, 0, output);
      await scene.goesOn(1_000);
      for (const uid of uids) {
        assert.equal((await recorded(scene.client, uid)).length, 1);
        assert.deepEqual(breaksOf(await recordedNumbers(scene.client, uid)), { losses: [], repeated: 0 });
      }
      await server.stop();
      assert.equal(await scene.check(), 'The archive is in order.\n');
    } finally {
      await scene.close();
    }
  });

  test('[R15.1] no frame is lost or recorded twice when the next engine is killed while streams are handed over to it', async () => {
    const scene = await Scene.open(clip, undefined, numbered);
    const { uids, server, cameras } = scene;
    try {
      const connections = cameras.map((camera) => camera.connections);
      const before = await scene.processes('engine-main.ts');
      const restarting = scene.command(main, 'restart');
      await intoNextGop(await secondSession(scene, connections), gopFrames / 4);
      const [next] = (await scene.processes('engine-main.ts')).filter((pid) => !before.includes(pid));
      process.kill(next ?? 0, 'SIGKILL');
      const { code, output } = await restarting;
      assert.equal(code, 0, output);
      await scene.goesOn(1_000);
      for (const uid of uids) {
        assert.equal((await recorded(scene.client, uid)).length, 1);
        assert.deepEqual(breaksOf(await recordedNumbers(scene.client, uid)), { losses: [], repeated: 0 });
      }
      await server.stop();
      assert.equal(await scene.check(), 'The archive is in order.\n');
    } finally {
      await scene.close();
    }
  });
});
