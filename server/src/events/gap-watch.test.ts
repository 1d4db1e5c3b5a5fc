import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openArchive, temporaryRoot } from '../archive/fixtures/archive-fixture.ts';
import { connect, footageOf, footageStartMs as t0 } from '../archive/fixtures/footage-fixture.ts';
import { silentLog as log } from '../base/log.ts';
import { until } from '../base/until-fixture.ts';
import type { PauseCause } from '../hub/reader.ts';
import { Stream } from '../hub/stream.ts';
import { GapWatch, type GapWatchOptions } from './gap-watch.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A camera that is recorded for five seconds at a time, or not for a reason. Times in ms since the start of the footage. */
async function camera(t: TestContext) {
  const { archive, clock } = await openArchive(t, await temporaryRoot(t));
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  let fragments = 0;
  const goTo = (ms: number) => clock.stepWall(t0 + ms - clock.wallMs());
  return {
    async record(atMs: number) {
      goTo(atMs + 5_000);
      connect(stream, footage, t0 + atMs, t0 + atMs + 5_000);
      fragments += 4;
      await until(() => recorder.status.fragments >= fragments, 'the footage');
    },
    async pause(atMs: number, cause: PauseCause) {
      goTo(atMs);
      stream.pause(cause);
      const gaps = () => archive.reader.ranges('cam1', t0 + atMs - 1_000, t0 + atMs + 1_000).gaps;
      await until(() => gaps().at(-1)?.cause === cause, cause);
    },
    /** The gaps that are noted some time after it is recorded again, all at the same time: their cause, start and end. */
    async gapsAt(atMs: number) {
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
    },
  };
}

test('[R11.3] a gap is noted from its beginning, however long ago that is, and each time in the same way', async (t) => {
  const { record, pause, gapsAt } = await camera(t);
  await record(0);
  await pause(20_000, 'unreachable');
  await record(30_000);
  await pause(50_000, 'no-frames');
  await pause(90 * dayMs, 'unreachable');
  await record(100 * dayMs);
  const gap = ['no-frames', 35_000, 100 * dayMs];
  assert.deepEqual(await gapsAt(100 * dayMs + 60_000), [gap]);
  assert.deepEqual(await gapsAt(100 * dayMs + 23 * hourMs), [gap]);
});

test('[R11.3] a gap begins with its first failure, not when recording was switched off or paused', async (t) => {
  const { record, pause, gapsAt } = await camera(t);
  await record(0);
  await pause(6_000, 'paused');
  await pause(40 * dayMs, 'unreachable');
  await pause(41 * dayMs, 'paused');
  await record(43 * dayMs);
  await pause(43 * dayMs + 6_000, 'paused');
  await record(43 * dayMs + 60_000);
  assert.deepEqual(await gapsAt(43 * dayMs + 120_000), [['unreachable', 40 * dayMs, 43 * dayMs]]);
});
