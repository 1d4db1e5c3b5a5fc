import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ManualClock } from '../base/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Stream } from '../stream/stream.ts';
import { Archive } from './archive.ts';
import { checkArchive } from './check.ts';
import { connect, footageOf, footageStartMs } from './footage-fixture.ts';

const run = promisify(execFile);

async function temporaryRoot(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-archive-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'archive');
}

test('[R10.3] what is recorded is read by ffprobe without a complaint and keeps every invariant', async (t) => {
  const dir = await temporaryRoot(t);
  const clock = new ManualClock(footageStartMs);
  const archive = await Archive.open({ dir, clock, log: silentLog, limits: { groupMs: 0 } });
  const footage = footageOf('h264-b-pyramid.mp4', 'aac.mp4');
  const stream = new Stream('cam1');
  const recorder = archive.record('cam1', stream);
  connect(stream, footage, footageStartMs, footageStartMs + 150_000);
  await recorder.stop('recording-off');
  console.log(
    recorder.status,
    archive.stats('cam1'),
    archive.ranges('cam1', footageStartMs - 1000, footageStartMs + 200_000),
    archive.intervals('cam1', footageStartMs - 1000, footageStartMs + 200_000),
  );
  await archive.close();
  const findings = [];
  for await (const finding of checkArchive(dir)) findings.push(finding);
  assert.deepEqual(findings, []);
  const folder = join(dir, 'cam1', '2026-11-20');
  for (const name of await readdir(folder)) {
    const { stderr, stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-count_packets',
      '-show_streams',
      '-of',
      'compact',
      join(folder, name),
    ]);
    assert.equal(stderr, '');
    console.log(name, stdout.match(/(nb_read_packets|duration|start_time)=[\d.]+/g));
  }
});
