import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rm, truncate } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { Stream } from '../../hub/stream.ts';
import type { Archive, ArchiveOptions } from '../archive.ts';
import {
  copyAsKilled,
  faultOf,
  findingsOf,
  openArchive,
  recordSpan,
  temporaryRoot,
} from '../fixtures/archive-fixture.ts';
import { remoteOf, MemoryStore, trouble } from '../fixtures/object-fixture.ts';
import { ObjectKeys } from './object-keys.ts';
import {
  diskFiles,
  type ArchiveFiles,
  segmentPath,
  catalogTicks,
  FOLDER_LOCK_NAME,
} from '../segments/segments.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const fiveSeconds = { limits: { segmentMs: 5_000 } };

/** An archive in which all streams move their footage as soon as possible. */
async function openRemote(
  t: TestContext,
  dir: string,
  store: MemoryStore,
  more: Partial<ArchiveOptions> = {},
) {
  const opened = await openArchive(t, dir, { ...fiveSeconds, ...remoteOf(store), ...more });
  opened.archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
  return opened;
}

/** Fifteen seconds in three files, contiguous; none of them has moved yet. */
async function recorded(t: TestContext, store: MemoryStore, more: Partial<ArchiveOptions> = {}) {
  const dir = await temporaryRoot(t);
  const opened = await openRemote(t, dir, store, more);
  opened.archive.objectStorage?.uploader.configure({ remoteAfterOf: () => -1 });
  await recordSpan(opened.archive, 'cam1', footage, t0, t0 + 15_000);
  opened.clock.advance(60_000);
  return { dir, ...opened };
}

/**
 * Everything that a viewer can request: the playlist with the bytes that it lists, a download that starts and
 * ends inside a file, key frames, a GOP.
 */
async function seen(archive: Archive): Promise<string> {
  const hash = createHash('sha256');
  const playlist = await archive.reader.playlist('cam1', t0, t0 + 20_000);
  hash.update(playlist);
  for (const [, name = '', length, offset] of playlist.matchAll(
    /BYTERANGE:(\d+)@(\d+)\n(?:#.*\n)*segment\/(\d+)/g,
  )) {
    const segment = await archive.reader.openSegment('cam1', offset ?? '');
    const from = Number(length);
    for await (const chunk of await segment.stream(from, from + Number(name) - 1))
      hash.update(chunk as Buffer);
  }
  const download = await archive.reader.download('cam1', t0 + 1_300, t0 + 13_700);
  for await (const chunk of download.stream()) hash.update(chunk);
  for (const atMs of [100, 4_900, 5_000, 7_300, 14_900]) {
    const { timeMs, keySample } = await archive.reader.frameAt('cam1', t0 + atMs);
    hash.update(String(timeMs)).update(Buffer.concat([...keySample.data]));
    for (const run of await archive.reader.gopAt('cam1', t0 + atMs)) {
      for (const { data } of run.samples) for (const slice of data) hash.update(slice);
    }
  }
  hash.update(JSON.stringify(archive.reader.intervals('cam1', t0, t0 + 20_000)));
  return hash.digest('hex');
}

/** A pass that is in progress may have already checked this stream. */
async function move({ objectStorage: remote }: Archive, hours = 0): Promise<void> {
  remote?.uploader.configure({ remoteAfterOf: () => hours });
  await remote?.uploader.run();
  await remote?.uploader.run();
}

async function filesOf(dir: string): Promise<string[]> {
  const all = await readdir(dir, { recursive: true });
  return all.filter((name) => name.endsWith('.mp4'));
}

test('moved footage is byte for byte the same, across the border with local footage too, and its files are deleted', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  const before = await seen(archive);
  assert.match(before, /^[0-9a-f]{64}$/);
  // The border between the second file and the third.
  await move(archive, 50 / 3600);
  assert.deepEqual(
    store.keys,
    ['00', '05'].map((second) => `main/cam1/2026-11-20/22-00-${second}.000.mp4`),
  );
  assert.equal((await filesOf(dir)).length, 1);
  assert.equal(await seen(archive), before);
  const { bytes, farBytes, segments } = archive.reader.stats('cam1');
  assert.ok(farBytes > bytes / 2 && farBytes < bytes);
  assert.equal(segments, 3);
  assert.deepEqual(await findingsOf(dir), []);

  archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
  assert.equal(archive.objectStorage?.status.waiting.segments, 1);
  await move(archive);
  assert.deepEqual(await filesOf(dir), []);
  assert.deepEqual(await readdir(dir), ['cam1', 'vidette-archive.json', FOLDER_LOCK_NAME]);
  assert.equal(await seen(archive), before);
  assert.deepEqual(archive.objectStorage?.status.waiting, { segments: 0, bytes: 0 });
  assert.equal(archive.objectStorage?.status.lastMovedMs, clock.wallMs());
  assert.deepEqual(await findingsOf(dir), []);
});

test('a snapshot and a download of a few seconds read few bytes from the store', async (t) => {
  const store = new MemoryStore();
  const { archive } = await recorded(t, store);
  const inMinutes = { limits: { segmentMs: 60_000 } };
  const { archive: long } = await recorded(t, store, { ...remoteOf(store, 'other'), ...inMinutes });
  await move(long);
  await move(archive);
  const [object] = [...store.objects]
    .filter(([key]) => key.startsWith('other/cam1'))
    .map(([, stored]) => stored);
  store.readBytes = 0;
  store.steps.length = 0;
  await long.reader.frameAt('cam1', t0 + 7_300);
  assert.equal(store.steps.length, 1);
  assert.ok(store.readBytes <= 262_144, `${store.readBytes} of ${object?.bytes.length}`);
});

test('after a crash at any step the next start continues: nothing is lost, duplicated or left over', async (t) => {
  const store = new MemoryStore();
  const moments: { dir: string; store: MemoryStore; at: string }[] = [];
  const dirs: { dir?: string } = {};
  const note = async (at: string) => {
    if (dirs.dir !== undefined)
      moments.push({ dir: await copyAsKilled(t, dirs.dir), store: store.copy(), at });
  };
  const hooked = <K extends 'remove' | 'syncFolder' | 'removeFolder'>(name: K): ArchiveFiles[K] =>
    (async (path: string) => {
      await note(`before ${name}`);
      const result = await diskFiles[name](path);
      await note(`after ${name}`);
      return result;
    }) as ArchiveFiles[K];
  const files = {
    ...diskFiles,
    remove: hooked('remove'),
    syncFolder: hooked('syncFolder'),
    removeFolder: hooked('removeFolder'),
  };
  const { archive, dir } = await recorded(t, store, {
    files,
    remote: { ...remoteOf(store).remote, atOnce: 1 },
  });
  const before = await seen(archive);
  store.fault = ({ name }, done) => note(`${done ? 'after' : 'before'} ${name}`);
  dirs.dir = dir;
  await move(archive);
  delete dirs.dir;
  assert.ok(moments.length >= 24, String(moments.length));
  for (const { dir: copy, store: left, at } of moments) {
    const arrived = left.keys.length;
    const again = await openRemote(t, copy, left);
    assert.equal(await seen(again.archive), before, at);
    again.clock.advance(60_000);
    await move(again.archive);
    assert.equal(await seen(again.archive), before, at);
    assert.equal(left.keys.length, 3, at);
    assert.deepEqual(await filesOf(copy), [], at);
    const sent = left.steps.filter(({ name, key }) => name === 'send' && key.endsWith('.mp4'));
    assert.equal(sent.length, 3 - arrived, `${at}: an object that had arrived is not uploaded again`);
    await again.archive.close();
    assert.deepEqual(await findingsOf(copy), [], at);
  }
});

test('while the store is unavailable files stay and can be played; when it is back they move', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  const before = await seen(archive);
  await move(archive);
  store.fault = () => {
    throw trouble('away');
  };
  await recordSpan(archive, 'cam1', footage, t0 + 60_000, t0 + 65_000);
  clock.advance(60_000);
  await assert.rejects(move(archive), { name: 'FarStoreError' });
  assert.equal(archive.objectStorage?.status.problem?.code, 'FarArchiveUnavailable');
  assert.equal(archive.objectStorage?.status.waiting.segments, 1);
  // Local footage is shown; footage in the bucket is reported as unavailable.
  await archive.reader.frameAt('cam1', t0 + 62_000);
  await assert.rejects(archive.reader.frameAt('cam1', t0 + 2_000), faultOf('FarArchiveUnavailable'));
  const download = await archive.reader.download('cam1', t0 + 60_000, t0 + 64_000);
  assert.ok(download.contentLength > 0);
  assert.equal(archive.reader.intervals('cam1', t0, t0 + 15_000)[0]?.kind, 'fragment');
  // For a short time after a failure, readers fail immediately.
  store.fault = () => {};
  store.steps.length = 0;
  await assert.rejects(archive.reader.frameAt('cam1', t0 + 2_000), faultOf('FarArchiveUnavailable'));
  assert.deepEqual(store.steps, []);
  clock.advance(3_000);
  assert.equal(await seen(archive), before);
  await move(archive);
  assert.equal(archive.objectStorage?.status.problem, undefined);
  assert.deepEqual(await filesOf(dir), []);
  assert.deepEqual(await findingsOf(dir), []);
});

test('a store that stores something other than was sent causes no loss', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  store.fault = ({ name, key }, done) => {
    const object = store.objects.get(key);
    if (name === 'send' && done && object && key.includes('05.000')) {
      store.objects.set(key, { ...object, bytes: object.bytes.subarray(1) });
    }
  };
  await move(archive);
  assert.equal((await filesOf(dir)).length, 1);
  assert.equal(archive.reader.stats('cam1').segments, 3);
  store.fault = () => {};
  clock.advance(3_600_001);
  await move(archive);
  assert.deepEqual(await filesOf(dir), []);
  assert.deepEqual(await findingsOf(dir), []);
});

test('one segment that the store never accepts does not block the others', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  store.fault = ({ name, key }) => {
    if (name === 'send' && key.includes('00.000')) throw trouble('away');
  };
  for (let tries = 0; tries < 2; tries++) {
    await assert.rejects(move(archive), { name: 'FarStoreError' });
  }
  await move(archive);
  assert.equal((await filesOf(dir)).length, 1);
  store.fault = () => {};
  clock.advance(3_600_001);
  await move(archive);
  assert.deepEqual(await filesOf(dir), []);
  assert.deepEqual(await findingsOf(dir), []);
});

test('a file deleted or truncated by another program is left to `check`, and the others move', async (t) => {
  const store = new MemoryStore();
  const { archive, dir } = await recorded(t, store);
  await rm(segmentPath(dir, 'cam1', catalogTicks(t0)));
  await truncate(segmentPath(dir, 'cam1', catalogTicks(t0 + 5_000)), 5_000);
  await move(archive);
  assert.deepEqual(store.keys, ['main/cam1/2026-11-20/22-00-10.000.mp4']);
  assert.deepEqual(new Set((await findingsOf(dir)).map(({ invariant }) => invariant)), new Set([1, 11, 6]));
});

test('another archive’s bucket is left untouched', async (t) => {
  const store = new MemoryStore();
  const first = await recorded(t, store);
  await move(first.archive);
  const kept = store.copy().keys;
  const second = await recorded(t, store);
  await assert.rejects(move(second.archive), { name: 'FarStoreError' });
  assert.equal(second.archive.objectStorage?.status.problem?.code, 'FarArchiveForeign');
  assert.deepEqual(store.keys, kept);
  // Nor is a bucket that was emptied while an archive uses it claimed as a new one.
  store.objects.clear();
  await recordSpan(first.archive, 'cam1', footage, t0 + 60_000, t0 + 65_000);
  const again = await copyAsKilled(t, first.dir);
  const { archive, clock } = await openRemote(t, again, store);
  clock.advance(120_000);
  await assert.rejects(move(archive), { name: 'FarStoreError' });
  assert.equal(archive.objectStorage?.status.problem?.code, 'FarArchiveForeign');
});

test('retention deletes remote footage with its objects, including uploads begun before the store became unavailable', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  await move(archive);
  archive.retention.configure({ depthOf: () => 1 });
  clock.advance(3_600_000 - 60_000 + 11_000);
  store.fault = () => {
    throw trouble('away');
  };
  // The first pass may be one that began earlier.
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 1);
  assert.equal(store.keys.length, 3);
  await archive.close();
  store.fault = () => {};
  const again = await openRemote(t, dir, store);
  await move(again.archive);
  assert.deepEqual(store.keys, ['main/cam1/2026-11-20/22-00-10.000.mp4']);
  assert.deepEqual(await findingsOf(dir), []);
});

test('the bucket’s quota deletes the oldest remote footage, and the disk’s quota counts only local footage', async (t) => {
  const store = new MemoryStore();
  const { archive } = await recorded(t, store);
  await move(archive);
  const { bytes } = archive.reader.stats('cam1');
  archive.retention.configure({ quotaBytes: Math.round(bytes / 2) });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 3);
  archive.retention.configure({ remoteQuotaBytes: Math.round(bytes / 2) });
  await archive.retention.run();
  await move(archive);
  assert.equal(archive.reader.stats('cam1').segments, 1);
  assert.equal(store.keys.length, 1);
});

test('purging a stream deletes its objects, including one being uploaded', async (t) => {
  const store = new MemoryStore();
  const { archive, dir } = await recorded(t, store, { remote: { ...remoteOf(store).remote, atOnce: 1 } });
  const purged = Promise.withResolvers<void>();
  store.fault = async ({ name, key }, done) => {
    if (name !== 'send' || done || !key.includes('05.000')) return;
    await archive.recorders.remove('cam1');
    purged.resolve();
  };
  await move(archive);
  await purged.promise;
  await move(archive);
  assert.deepEqual(store.keys, []);
  assert.equal(archive.reader.period('cam1'), undefined);
  assert.deepEqual(await readdir(dir), ['vidette-archive.json', FOLDER_LOCK_NAME]);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] on a full disk footage is moved first; what may not move is deleted, and everything is while the store is unavailable', async (t) => {
  const store = new MemoryStore();
  const { archive, dir, clock } = await recorded(t, store);
  await recordSpan(archive, 'cam2', footage, t0 + 2_000, t0 + 17_000);
  clock.advance(20_000);
  // Long before it reaches its upload age.
  archive.objectStorage?.uploader.configure({ remoteAfterOf: (uid) => (uid === 'cam1' ? 1_000 : -1) });
  const half = Math.round(archive.health.totalBytes / 2);
  archive.retention.configure({ quotaBytes: half });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 3);
  assert.ok(archive.reader.stats('cam2').segments < 3);
  assert.ok(archive.health.totalBytes - (archive.objectStorage?.status.bytes ?? 0) <= half);
  assert.ok(store.keys.length >= 1);
  assert.deepEqual(await findingsOf(dir), []);
  store.fault = () => {
    throw trouble('away');
  };
  archive.retention.configure({ quotaBytes: 0 });
  await archive.retention.run();
  assert.deepEqual(await filesOf(dir), []);
  assert.equal(archive.reader.stats('cam1').segments, store.keys.length);
  assert.deepEqual(await findingsOf(dir), []);
});

test('an upload interrupted by a stop is completed after the next start', async (t) => {
  const store = new MemoryStore();
  const { archive, dir } = await recorded(t, store, { remote: { ...remoteOf(store).remote, atOnce: 1 } });
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  store.fault = async ({ name, key }, done) => {
    if (name !== 'send' || done || !key.endsWith('.mp4')) return;
    reached.resolve();
    await go.promise;
    throw trouble('away');
  };
  const stopped = assert.rejects(move(archive), { name: 'FarStoreError' });
  await reached.promise;
  const closed = archive.close();
  go.resolve();
  await Promise.all([closed, stopped]);
  store.fault = () => {};
  const again = await openRemote(t, dir, store);
  again.clock.advance(60_000);
  await move(again.archive);
  assert.equal(store.keys.length, 3);
  assert.deepEqual(await findingsOf(dir), []);
});

test('without its bucket remote footage stays on the timeline, and requests report why it cannot be played', async (t) => {
  const store = new MemoryStore();
  const { archive, dir } = await recorded(t, store);
  await move(archive);
  await archive.close();
  const { archive: bare } = await openArchive(t, dir);
  assert.equal(bare.reader.intervals('cam1', t0, t0 + 15_000)[0]?.kind, 'fragment');
  await assert.rejects(bare.reader.frameAt('cam1', t0 + 2_000), faultOf('FarArchiveUnavailable'));
  const stream = new Stream('cam1');
  const recorder = bare.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 60_000, t0 + 65_000);
  await recorder.stop('recording-off');
  assert.equal((await bare.reader.frameAt('cam1', t0 + 62_000)).timeMs, t0 + 62_000);
});

test('a key identifies its segment, and no other text is accepted as a key', () => {
  const keys = new ObjectKeys('a/b/', 'node-1');
  const key = keys.of('cam1', catalogTicks(t0));
  assert.equal(key, 'a/b/node-1/cam1/2026-11-20/22-00-00.000.mp4');
  assert.deepEqual(keys.parse(key), { uid: 'cam1', startMs: t0 });
  assert.throws(() => keys.of('../x', 0), RangeError);
  for (const other of [keys.marker, `${key}/x`, key.replace('node-1', 'node-2'), key.replace('mp4', 'mp5')]) {
    assert.equal(keys.parse(other), undefined, other);
  }
});

test('footage damaged in transfer stays local, whatever the store reports', async (t) => {
  for (const givesEtags of [true, false]) {
    const dir = await temporaryRoot(t);
    const store = new MemoryStore();
    store.givesEtags = givesEtags;
    let spoils = true;
    store.fault = ({ name, key }, done) => {
      const object = store.objects.get(key);
      if (!spoils || name !== 'send' || !done || !object || !key.endsWith('.mp4')) return;
      // A store that ignores Content-MD5, over a connection that flips a bit; length and metadata are right.
      object.bytes[100] = (object.bytes[100] ?? 0) ^ 1;
    };
    const { archive, clock } = await openArchive(t, dir, remoteOf(store));
    const stream = new Stream('cam1');
    const recorder = archive.recorders.record('cam1', stream);
    connect(stream, footageOf('h264-no-b.mp4'), t0, t0 + 10_000);
    await recorder.stop('recording-off');
    archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
    clock.advance(3_600_000);
    await archive.objectStorage?.uploader.run();
    assert.equal(archive.objectStorage?.status.waiting.segments, 1, 'it stays local');
    assert.equal(archive.objectStorage?.status.damaged, 1);
    assert.equal((await archive.reader.download('cam1', t0, t0 + 10_000)).durationMs, 10_000);
    spoils = false;
    clock.advance(3_700_000);
    await archive.objectStorage?.uploader.run();
    assert.equal(archive.objectStorage?.status.waiting.segments, 0, 'it moves once it arrives intact');
    assert.equal(archive.objectStorage?.status.damaged, 0);
  }
});

test('[R7.16] if a store returns bytes other than it was sent, every transfer is aborted and the status reports it', async (t) => {
  const store = new MemoryStore();
  const { archive, clock } = await recorded(t, store);
  await move(archive);
  const key = store.keys[1] ?? '';
  const whole = store.objects.get(key);
  assert.ok(whole);
  const spoilt = Buffer.from(whole.bytes);
  const at = spoilt.length - 100;
  spoilt[at] = (spoilt[at] ?? 0) ^ 1;
  store.objects.set(key, { ...whole, bytes: spoilt });
  const downloaded = async () => {
    const download = await archive.reader.download('cam1', t0, t0 + 15_000);
    let bytes = 0;
    for await (const chunk of download.stream()) bytes += chunk.length;
    return bytes - download.contentLength;
  };
  await assert.rejects(downloaded(), faultOf('NotFound'));
  const file = await archive.reader.openSegment('cam1', String(catalogTicks(t0 + 5_000)));
  const readRange = async (from: number, to: number) => (await file.stream(from, to)).toArray();
  await assert.rejects(readRange(0, file.size - 1), faultOf('NotFound'));
  assert.equal(archive.objectStorage?.status.damaged, 1);
  // The rest is unchanged.
  assert.equal((await archive.reader.download('cam1', t0, t0 + 4_000)).durationMs, 4_000);
  // Shorter than it should be: the reader doesn't wait for bytes that will never come.
  store.objects.set(key, { ...whole, bytes: whole.bytes.subarray(0, whole.bytes.length - 10) });
  await assert.rejects(readRange(file.size - 100, file.size - 1), faultOf('NotFound'));
  store.objects.set(key, whole);
  clock.advance(3_700_000);
  assert.equal(await downloaded(), 0);
  assert.equal(archive.objectStorage?.status.damaged, 0);
  await archive.close();
});
