import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { until } from './api.ts';
import { encodeSceneClip, main, Scene } from './engine-scene.ts';
import { LoopDisk } from './loop-disk.ts';
import { breaksOf, numbered, recordedNumbers } from './numbered-frames.ts';
import type { CameraClip } from './rtsp/fake-media.ts';

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip();
});

/** Happens to the disk of the archive; the returned function mends it. */
type Trouble = (disk: LoopDisk) => Promise<() => Promise<void>>;

/**
 * Replaces the processes of a server whose archive is on a disk of its own, and disturbs that disk as soon as the next
 * engine has connected to a camera, until `isFelt`. No frame is recorded twice, and the archive is in order.
 * @returns the frames lost in each place, by stream
 */
async function disturbedWhileReplaced(
  t: TestContext,
  trouble: Trouble,
  isFelt: (scene: Scene) => () => boolean,
): Promise<number[][] | undefined> {
  const disk = await LoopDisk.make(t, 192);
  if (!disk) return undefined;
  const env = { VIDETTE_ARCHIVE_FOLDER: join(disk.folder, 'footage') };
  const scene = await Scene.open(clip, () => env, numbered);
  try {
    const connections = scene.cameras.map((camera) => camera.connections);
    const restarting = scene.command(main, 'restart');
    await until(
      () => scene.cameras.some((camera, index) => camera.connections > (connections[index] ?? 0)),
      (isConnected) => isConnected,
    );
    const mend = await trouble(disk);
    await until(isFelt(scene), (isSo) => isSo);
    await mend();
    const { code, output } = await restarting;
    assert.equal(code, 0, output);
    await scene.goesOn(2_000);
    const lost: number[][] = [];
    for (const uid of scene.uids) {
      const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
      assert.equal(repeated, 0);
      lost.push(losses);
    }
    await scene.endsInOrder();
    return lost;
  } finally {
    await scene.close();
  }
}

/** Some recording has failed. */
const isFailing =
  ({ server }: Scene) =>
  () =>
    server.output.includes('Recording failed (');

/** Every camera has sent as many frames as make four GOPs. */
const isLong = ({ cameras }: Scene) => {
  const before = cameras.map(({ frames }) => frames);
  return () => cameras.every(({ frames }, index) => frames > (before[index] ?? 0) + 40);
};

describe('archive disks that fail while engines are replaced', { concurrency: 3 }, () => {
  for (const [name, trouble] of [
    ['is full', (disk) => disk.fill()],
    ['can only be read', (disk) => disk.cover()],
  ] as const satisfies readonly (readonly [string, Trouble])[])
    test(`[R15.1] the replacement ends and recording continues when the archive’s disk ${name} while streams are handed over`, async (t) => {
      const lost = await disturbedWhileReplaced(t, trouble, isFailing);
      for (const losses of lost ?? []) assert.ok(losses.length <= 1, losses.join());
    });

  test('[R15.1] no frame is lost when the archive’s disk blocks while streams are handed over', async (t) => {
    const lost = await disturbedWhileReplaced(t, (disk) => disk.freeze(), isLong);
    assert.deepEqual(lost?.flat() ?? [], []);
  });
});
