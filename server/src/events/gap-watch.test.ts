import assert from 'node:assert/strict';
import { test } from 'node:test';
import { footageStartMs as t0 } from '../archive/fixtures/footage-fixture.ts';
import { interruptedCamera } from '../archive/fixtures/interrupted-camera-fixture.ts';
import { silentLog as log } from '../base/log.ts';
import { until } from '../base/until-fixture.ts';
import { GapWatch, type GapWatchOptions } from './gap-watch.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Camera = Awaited<ReturnType<typeof interruptedCamera>>;

/** The gaps that are noted at a time after it is recorded again, all together: their cause, start and end. */
async function gapsAt({ archive, clock, goTo }: Camera, atMs: number): Promise<unknown[]> {
  goTo(atMs);
  const found: unknown[] = [];
  const writer: GapWatchOptions['writer'] = {
    note(change) {
      if (change.type === 'put')
        found.push([change.detail?.['code'], change.startMs - t0, (change.endMs ?? 0) - t0]);
    },
  };
  const watch = new GapWatch({ writer, archive: archive.reader, rangesMaxMs: 3 * hourMs, clock, log });
  watch.examine('cam1');
  clock.advance(6_000);
  await until(() => found.length > 0, 'a gap');
  watch.close();
  return found;
}

test('[R11.3] a gap is noted from its beginning, however long ago that is, and each time in the same way', async (t) => {
  const camera = await interruptedCamera(t);
  await camera.record(0);
  await camera.pause(20_000, 'unreachable');
  await camera.record(30_000);
  await camera.pause(50_000, 'no-frames');
  await camera.pause(90 * dayMs, 'unreachable');
  await camera.record(100 * dayMs);
  const gap = ['no-frames', 35_000, 100 * dayMs];
  assert.deepEqual(await gapsAt(camera, 100 * dayMs + 60_000), [gap]);
  assert.deepEqual(await gapsAt(camera, 100 * dayMs + 23 * hourMs), [gap]);
});

test('[R11.3] a gap begins with its first failure, not when recording was switched off or paused', async (t) => {
  const camera = await interruptedCamera(t);
  await camera.record(0);
  await camera.pause(6_000, 'paused');
  await camera.pause(40 * dayMs, 'unreachable');
  await camera.pause(41 * dayMs, 'paused');
  await camera.record(43 * dayMs);
  await camera.pause(43 * dayMs + 6_000, 'paused');
  await camera.record(43 * dayMs + 60_000);
  assert.deepEqual(await gapsAt(camera, 43 * dayMs + 120_000), [['unreachable', 40 * dayMs, 43 * dayMs]]);
});

test('[R11.3] short causes at the beginning of a long gap count as in a short one', async (t) => {
  const camera = await interruptedCamera(t);
  await camera.record(0);
  await camera.pause(6_000, 'paused');
  await camera.pause(60_000, 'no-frames');
  await camera.pause(120_000, 'unreachable');
  await camera.record(2 * dayMs);
  const gap = ['no-frames', 60_000, 2 * dayMs];
  assert.deepEqual(await gapsAt(camera, 2 * dayMs + 60_000), [gap]);
  assert.deepEqual(await gapsAt(camera, 2 * dayMs + 23 * hourMs), [gap]);
});

test('[R11.3] a gap that is cut by the day is not noted a second time', async (t) => {
  const camera = await interruptedCamera(t);
  await camera.record(0);
  await camera.pause(6_000, 'unreachable');
  await camera.record(100_000);
  await camera.pause(120_000, 'unreachable');
  await camera.record(200_000);
  assert.deepEqual(await gapsAt(camera, dayMs + 50_000 - 6_000), [['unreachable', 105_000, 200_000]]);
});
