import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { openArchive } from '../../server/src/archive/archive.ts';
import { ObjectKeys, wholeMaxBytes } from '../../server/src/archive/object-storage/object-storage.ts';
import {
  connect,
  footageOf,
  footageStartMs as t0,
  heavier,
  type RecordedFixture,
} from '../../server/src/archive/fixtures/footage-fixture.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { silentLog } from '../../server/src/base/log.ts';
import { ManualClock } from '../../server/src/base/manual-clock.ts';
import { S3ObjectStore } from '../../server/src/s3/s3-object-store.ts';
import { Stream } from '../../server/src/hub/stream.ts';
import { SpoilingGateway } from './spoiling-gateway.ts';
import { SwiftStore } from './swift.ts';

// Footage on its way to a real store and back, and on the store's own disk.

const spanMs = 15_000;
const hourMs = 3_600_000;

let swift: SwiftStore;
let gateway: SpoilingGateway;

before(async () => {
  swift = await SwiftStore.start();
  gateway = await SpoilingGateway.start(swift);
});

after(async () => {
  await gateway?.stop();
  await swift?.stop();
});

/**
 * An archive with 15 s of footage that is due to be uploaded through the gateway, under its own prefix of the
 * bucket.
 */
async function recorded(t: TestContext, prefix: string, footage: RecordedFixture, segmentMs = 5_000) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-spoilt-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
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
  const remote = { store, keys: new ObjectKeys(`${prefix}/`, 'main'), atOnce: 1 };
  const limits = { segmentMs, groupMs: 0, queueMaxBytes: 128 * 1024 * 1024 };
  const archive = await openArchive({ dir, clock, log: silentLog, remote, limits });
  t.after(() => archive.close());
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + spanMs);
  await recorder.stop('recording-off');
  archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
  clock.advance(60_000);
  const files = async () =>
    (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.mp4')).length;
  const move = async () => archive.objectStorage?.uploader.run();
  const downloaded = async () => {
    const download = await archive.reader.download('cam1', t0, t0 + spanMs);
    const chunks: Uint8Array[] = [];
    for await (const chunk of download.stream()) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    assert.equal(bytes.length, download.contentLength);
    return bytes;
  };
  return { archive, clock, files, move, downloaded, whole: await downloaded() };
}

test('[R7.16] nor for one sent in parts, one of which was damaged in transit', async (t) => {
  const { archive, clock, files, move, downloaded, whole } = await recorded(
    t,
    'parts',
    heavier(footageOf('h264-no-b.mp4'), 60_000),
    60_000,
  );
  assert.equal(await files(), 1);
  assert.ok(archive.reader.stats('cam1').bytes > wholeMaxBytes);
  gateway.spoils = true;
  gateway.spoiltParts = 0;
  await move();
  gateway.spoils = false;
  assert.ok(gateway.spoiltParts >= 3, `${gateway.spoiltParts} parts were spoilt`);
  assert.equal(await files(), 1);
  assert.equal(archive.reader.stats('cam1').farBytes, 0);
  assert.equal(archive.objectStorage?.status.damaged, 1);

  clock.advance(2 * hourMs);
  await move();
  await move();
  assert.equal(await files(), 0);
  assert.ok((await downloaded()).equals(whole));
});

test('[R7.16] if the store’s own digest is unusable the object is read back, and one corrupted on its disk is not accepted', async (t) => {
  const { archive, clock, files, move } = await recorded(t, 'disk', footageOf('h264-no-b.mp4'));
  const before = await files();
  gateway.spoils = false;
  gateway.hidesEtags = true;
  let spoilt = 0;
  gateway.onSent = async () => {
    spoilt += await swift.spoilOnDisk();
  };
  await move();
  gateway.onSent = async () => {};
  assert.ok(spoilt >= before, `${spoilt} objects were spoilt`);
  assert.equal(await files(), before);
  assert.equal(archive.objectStorage?.status.damaged, before);
  clock.advance(2 * hourMs);
  await move();
  await move();
  gateway.hidesEtags = false;
  assert.equal(await files(), 0);
});

test('[R7.16] corrupted data from the store breaks the transfer off, and the next one is complete', async (t) => {
  const { archive, files, move, downloaded, whole } = await recorded(t, 'back', footageOf('h264-no-b.mp4'));
  gateway.spoils = false;
  await move();
  assert.equal(await files(), 0);
  gateway.spoilsReads = true;
  await assert.rejects(downloaded(), { name: 'Fault', message: /damaged/ });
  const [, name = ''] = /segment\/(\d+)/.exec(await archive.reader.playlist('cam1', t0, t0 + spanMs)) ?? [];
  const file = await archive.reader.openSegment('cam1', name);
  const read = async () => Buffer.concat((await (await file.stream(0, file.size - 1)).toArray()) as Buffer[]);
  await assert.rejects(read(), { name: 'Fault', message: /damaged/ });
  assert.ok((archive.objectStorage?.status.damaged ?? 0) > 0);
  gateway.spoilsReads = false;
  assert.equal((await read()).length, file.size);
  assert.ok((await downloaded()).equals(whole));
});
