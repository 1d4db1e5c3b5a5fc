import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './api.ts';
import { encodeSceneClip, main, Scene } from './engine-scene.ts';
import { numbered } from './numbered-frames.ts';
import type { FakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';

/** Long, so that what happens within one can be told apart. */
const gopFrames = 80;

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip({ gopFrames, frames: 2 * gopFrames });
});

/**
 * Resolves when the first of the next engine's cameras is so many frames into a GOP that begins from now on: the present engine
 * is told to end its recording of it, which it does where the next one begins. What the others send is still recorded there.
 */
async function handingOver(
  { cameras }: Scene,
  connections: readonly number[],
  framesIn: number,
): Promise<void> {
  const gopsAt = new Map<FakeCamera, number>();
  const gopOf = ({ frames }: FakeCamera, before = 0) => Math.floor((frames - before) / gopFrames);
  await until(
    () => {
      for (const [index, camera] of cameras.entries())
        if (camera.connections > (connections[index] ?? 0) && !gopsAt.has(camera))
          gopsAt.set(camera, gopOf(camera));
      return [...gopsAt].some(([camera, gop]) => gopOf(camera, framesIn) > gop);
    },
    (isBegun) => isBegun,
  );
}

/**
 * Replaces the processes of a server, and kills one of them while streams are handed over: no frame is lost or recorded twice.
 * @param framesIn how far the cameras are into the GOP at which the present engine ends
 * @param victim of the processes at that moment; `before`: the engines before the replacement
 */
async function killedWhileReplaced(
  framesIn: number,
  victim: (scene: Scene, before: readonly number[]) => Promise<number | undefined>,
): Promise<void> {
  const scene = await Scene.open(clip, undefined, numbered);
  try {
    const connections = scene.cameras.map((camera) => camera.connections);
    const before = await scene.processes('engine-main.ts');
    const restarting = scene.command(main, 'restart');
    await handingOver(scene, connections, framesIn);
    process.kill((await victim(scene, before)) ?? 0, 'SIGKILL');
    const { code, output } = await restarting;
    assert.equal(code, 0, output);
    await scene.goesOn(1_000);
    for (const uid of scene.uids) await scene.numbersInOnePiece(uid);
    await scene.endsInOrder();
  } finally {
    await scene.close();
  }
}

describe('servers whose processes are killed while they are replaced', { concurrency: 2 }, () => {
  test('[R15.1] no frame is lost or recorded twice when the front is killed while streams are handed over', () =>
    killedWhileReplaced(gopFrames / 4, (scene) => scene.front()));

  test('[R15.1] no frame is lost or recorded twice when the next engine is killed while streams are handed over to it', () =>
    killedWhileReplaced(0, async (scene, before) =>
      (await scene.processes('engine-main.ts')).find((pid) => !before.includes(pid)),
    ));
});
