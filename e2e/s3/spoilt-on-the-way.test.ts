import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Archive } from '../../server/src/archive/archive.ts';
import { ObjectKeys } from '../../server/src/archive/object-storage/object-storage.ts';
import {
  connect,
  footageOf,
  footageStartMs as t0,
} from '../../server/src/archive/fixtures/footage-fixture.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { silentLog } from '../../server/src/base/log.ts';
import { ManualClock } from '../../server/src/base/manual-clock.ts';
import { S3ObjectStore } from '../../server/src/s3/s3-object-store.ts';
import { Stream } from '../../server/src/hub/stream.ts';
import { SpoilingGateway } from './spoiling-gateway.ts';
import { SwiftStore } from './swift.ts';

test('[R7.16] no file is deleted for an object that was damaged on its way to a real store, and it moves when it arrives whole', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-spoilt-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const swift = await SwiftStore.start();
  t.after(() => swift.stop());
  const gateway = await SpoilingGateway.start(swift);
  t.after(() => gateway.stop());
  const store = new S3ObjectStore({
    endpoint: gateway.endpoint,
    region: 'us-east-1',
    bucket: 'footage',
    accessKeyId: swift.accessKey,
    secretAccessKey: swift.secretKey,
    pathStyle: true,
    bytesPerSecond: undefined,
    clock: systemClock,
  });
  const clock = new ManualClock(t0);
  const dir = join(folder, 'archive');
  const remote = { store, keys: new ObjectKeys('', 'main'), atOnce: 2 };
  const archive = await Archive.open({
    dir,
    clock,
    log: silentLog,
    remote,
    limits: { segmentMs: 5_000, groupMs: 0 },
  });
  t.after(() => archive.close());
  const stream = new Stream('cam1');
  const recorder = archive.record('cam1', stream);
  connect(stream, footageOf('h264-no-b.mp4'), t0, t0 + 15_000);
  await recorder.stop('recording-off');
  const files = async () =>
    (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.mp4')).length;
  const before = await files();
  archive.remote?.uploader.configure({ remoteAfterOf: () => 0 });
  clock.advance(60_000);
  await archive.remote?.uploader.run();
  assert.ok(gateway.spoilt >= before, `${gateway.spoilt} objects were spoilt`);
  assert.equal(await files(), before);
  assert.equal(archive.stats('cam1').farBytes, 0);

  gateway.spoils = false;
  clock.advance(2 * 3_600_000);
  await archive.remote?.uploader.run();
  await archive.remote?.uploader.run();
  assert.equal(await files(), 0);
  const download = await archive.download('cam1', t0, t0 + 15_000);
  assert.equal(download.durationMs, 15_000);
});
