import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Export } from '@vidette/contract/entities';
import type { ErrorCode } from '@vidette/contract/errors';
import type { LocalReader } from '../archive/read/read.ts';
import {
  faultOf,
  openArchive,
  recordSpan,
  systemError,
  temporaryRoot,
} from '../archive/fixtures/archive-fixture.ts';
import { footageOf, footageStartMs as t0 } from '../archive/fixtures/footage-fixture.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { eventually } from '../base/until-fixture.ts';
import { Store } from '../store/store.ts';
import { Exports, type ExportLimits, type ExportsOptions } from './exports.ts';
import { SigningKey } from './signing-key.ts';
import { PackageFile } from './package-file.ts';
import { verifyPackage } from './verify-package.ts';
import { readZip } from './zip-reader.ts';
import { newUser } from '../store/user-fixture.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const key = new SigningKey(Buffer.alloc(32, 7));

interface ExportScene {
  readonly folder: string;
  readonly store: Store;
  readonly archive: LocalReader;
  readonly clock: ManualClock;
  readonly load: LoadLevel;
  readonly userId: number;
  /** Opens another one on the same folder, as after a restart. */
  open(options?: Partial<ExportsOptions>): Exports;
}

/** An archive of two streams, 12 s and 4 s long, split into downloads of at most 5 s, and a user. */
async function scene(t: TestContext): Promise<ExportScene> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-exports-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { archive } = await openArchive(t, await temporaryRoot(t), {
    limits: { downloadMaxMs: 5_000, segmentMs: 2_000 },
  });
  await recordSpan(archive, 'gate', footage, t0, t0 + 8_000);
  await recordSpan(archive, 'gate', footage, t0 + 20_000, t0 + 24_000);
  await recordSpan(archive, 'yard', footage, t0, t0 + 4_000);
  const store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
  t.after(() => store.close());
  const { id: userId } = await store.users.add(
    newUser('ann', { email: 'ann@example.org', maxStreamCreation: -1, createdMs: t0 }),
  );
  const clock = new ManualClock(t0 + 100_000);
  const load = new LoadLevel();
  const limits: ExportLimits = { keepMs: 3_600_000, quotaBytes: 1e12, minFreeBytes: 0 };
  return {
    folder,
    store,
    archive: archive.reader,
    clock,
    load,
    userId,
    open(options = {}) {
      const exports = new Exports({
        archive: archive.reader,
        records: store.exports,
        clock,
        load,
        log: silentLog,
        key,
        version: '1.2.3',
        node: 'main',
        folder: join(folder, 'exports'),
        limits: () => limits,
        elsewhere: () => Promise.reject(new Fault('Unavailable', 'There is no other node.')),
        refusal: () => Promise.resolve(undefined),
        loginOf: () => Promise.resolve('ann'),
        pool: {
          open: () => {
            throw new Error('No package needs FFmpeg.');
          },
        },
        hasFfmpeg: false,
        ...options,
      });
      t.after(() => exports.close());
      return exports;
    },
  };
}

const streams = [
  { uid: 'gate', name: 'Gate: north' },
  { uid: 'yard', name: 'Двор' },
];

function request({ userId }: ExportScene) {
  return { userId, streams, startMs: t0, endMs: t0 + 30_000, name: 'Theft' };
}

/** Waits until the export is in this state. */
async function reaches(
  at: ExportScene,
  exports: Exports,
  id: number,
  status: Export['status'],
): Promise<Export> {
  return eventually(
    async () => {
      const record = await at.store.exports.byId(id);
      if (record?.status !== status) throw new Error(`the export is ${record?.status}, never was ${status}`);
      return exports.view(record);
    },
    () => true,
  );
}

test('an export contains the recorded footage of each stream, lists what is missing, and is signed', async (t) => {
  const at = await scene(t);
  const exports = at.open();
  const { id } = await exports.add(request(at));
  const ready = await reaches(at, exports, id, 'ready');
  assert.deepEqual(
    ready.streams.map(({ uid, durationMs, gapMs }) => [uid, durationMs, gapMs]),
    [
      ['gate', 12_000, 18_000],
      ['yard', 4_000, 26_000],
    ],
  );
  const path = join(at.folder, 'exports', `${id}.zip`);
  const verdict = await verifyPackage(path);
  assert.deepEqual(verdict.problems, []);
  assert.equal(verdict.fingerprint, key.fingerprint);
  assert.equal(ready.fingerprint, key.fingerprint);
  const [gate, yard] = verdict.manifest?.streams ?? [];
  assert.deepEqual(gate?.gaps, [
    { startTime: t0 + 8_000, endTime: t0 + 20_000, cause: 'waiting' },
    { startTime: t0 + 24_000, endTime: t0 + 30_000, cause: 'recording-off' },
  ]);
  // Split where files begin, so that no frame is duplicated and none is lost.
  const spans = gate.files.map(({ startTime, endTime }) => [startTime - t0, endTime - t0]);
  assert.deepEqual(spans.slice(0, 2), [
    [0, 4_000],
    [4_000, 8_000],
  ]);
  assert.equal(gate.files[0]?.name, 'Gate_ north/2026-11-20 22-00-00Z.mp4');
  assert.equal(yard?.files[0]?.name, 'Двор/2026-11-20 22-00-00Z.mp4');
  assert.equal(yard.files.length, 1);
});

test('verify rejects packages that programs would unpack in different ways, and a foreign check page', async (t) => {
  const at = await scene(t);
  const exports = at.open();
  const { id } = await exports.add(request(at));
  await reaches(at, exports, id, 'ready');
  const path = join(at.folder, 'exports', `${id}.zip`);
  const whole = await readFile(path);
  const handle = await open(path);
  t.after(() => handle.close());
  const files = (await readZip(handle)).map(({ name, offset, bytes }) => ({
    name,
    content: whole.subarray(offset, offset + bytes),
  }));
  const forged = join(at.folder, 'forged.zip');
  const verdictOf = async (bytes: Buffer) => {
    await writeFile(forged, bytes);
    return (await verifyPackage(forged)).problems.join(' ');
  };
  /** The package written again by this code, with other entries. */
  const packed = async (entries: readonly { name: string; content: Uint8Array }[]) => {
    await rm(forged, { force: true });
    await rm(`${forged}.part`, { force: true });
    const file = await PackageFile.open(`${forged}.part`, []);
    assert.ok(file);
    for (const { name, content } of entries) await file.add(name, content.length, t0, [content]);
    await file.finish(forged);
    return (await verifyPackage(forged)).problems.join(' ');
  };
  const [first] = files;
  assert.ok(first);
  assert.equal(await packed(files), '');
  const page = { name: 'verify.html', content: Buffer.from('<p>The package is sound.</p>') };
  const others = files.filter(({ name }) => name !== 'verify.html');
  assert.match(await packed([...others, page]), /verify\.html was replaced/);
  assert.match(await packed(others), /verify\.html is missing/);
  assert.match(
    await packed([...files, { ...first, content: Buffer.from('other footage') }]),
    /it contains .* twice/,
  );
  assert.match(
    await packed([...files, { ...first, name: first.name.toUpperCase() }]),
    /it contains .* twice/,
  );
  assert.match(await packed([...files, { name: 'more.mp4', content: first.content }]), /does not belong/);
  assert.match(
    await packed([...files, { name: '../out.mp4', content: first.content }]),
    /is not an allowed file name/,
  );

  const flipped = (position: number) => {
    const bytes = Buffer.from(whole);
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    return bytes;
  };
  const directoryAt = whole.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  // Local header: method, checksum, length, name. Directory: checksum, kind of file.
  for (const position of [8, 14, 18, 30])
    assert.match(await verdictOf(flipped(position)), /directory do not match/);
  assert.match(await verdictOf(flipped(directoryAt + 16)), /do not match|checksum/);
  assert.match(await verdictOf(flipped(directoryAt + 41)), /was not written by this program/);
  const both = Buffer.from(whole);
  for (const position of [14, directoryAt + 16]) both[position] = (both[position] ?? 0) ^ 1;
  assert.match(await verdictOf(both), /a checksum other than/);
  assert.match(await verdictOf(Buffer.concat([Buffer.from('MZ'), whole])), /cannot be read/);
  assert.match(await verdictOf(Buffer.concat([whole, Buffer.from('more')])), /data after its end/);
});

test('a package with any changed byte, or without its signature, is detected', async (t) => {
  const at = await scene(t);
  const exports = at.open();
  const { id } = await exports.add(request(at));
  await reaches(at, exports, id, 'ready');
  const path = join(at.folder, 'exports', `${id}.zip`);
  const whole = await readFile(path);
  const forged = join(at.folder, 'forged.zip');
  const verdictOf = async (bytes: Buffer) => {
    await writeFile(forged, bytes);
    return verifyPackage(forged);
  };
  const changedAt = async (position: number) => {
    const bytes = Buffer.from(whole);
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    return (await verdictOf(bytes)).problems;
  };
  assert.match((await changedAt(5_000))[0] ?? '', /Gate_ north.*was changed/);
  const manifestAt = whole.indexOf('"vidette-export/1"');
  assert.deepEqual(await changedAt(whole.indexOf('"durationMs"', manifestAt) + 15), [
    'The signature does not match the manifest.',
  ]);
  assert.ok((await verdictOf(whole.subarray(0, -10))).problems.length > 0);
});

test('after a stop in the middle it continues after the finished files', async (t) => {
  const at = await scene(t);
  let asked = 0;
  const held = Promise.withResolvers<void>();
  const due = Promise.withResolvers<void>();
  const first = at.open({
    // Stopped while the second file is due.
    refusal: async () => {
      asked++;
      if (asked > 1) due.resolve();
      if (asked > 1) await held.promise;
      return undefined;
    },
  });
  const { id } = await first.add(request(at));
  await due.promise;
  const closed = first.close();
  held.resolve();
  await closed;
  const record = await at.store.exports.byId(id);
  assert.equal(record?.status, 'running');
  const [file, ...others] = await at.store.exports.files(id);
  assert.ok(file);
  assert.deepEqual(others, []);
  // What a kill would have left of the next file.
  await appendFile(join(at.folder, 'exports', `${id}.zip.part`), 'torn');
  const second = at.open();
  second.resume();
  await reaches(at, second, id, 'ready');
  assert.deepEqual((await at.store.exports.files(id))[0], file);
  assert.deepEqual((await verifyPackage(join(at.folder, 'exports', `${id}.zip`))).problems, []);
});

test('withdrawing a right during an export ends it and deletes its files', async (t) => {
  const at = await scene(t);
  let asked = 0;
  const exports = at.open({
    refusal: () => Promise.resolve<ErrorCode | undefined>(++asked > 2 ? 'Forbidden' : undefined),
  });
  const { id } = await exports.add(request(at));
  const failed = await reaches(at, exports, id, 'failed');
  assert.equal(failed.failure, 'forbidden');
  assert.equal(failed.bytes, 0);
  assert.ok(!existsSync(join(at.folder, 'exports', `${id}.zip.part`)));
});

test('[R10.4] a full disk fails the export and keeps the finished files, and a retry continues', async (t) => {
  const at = await scene(t);
  let isFull = true;
  const full = new Proxy(at.archive, {
    get(archive, name) {
      const value: unknown = Reflect.get(archive, name, archive);
      if (name !== 'download') return typeof value === 'function' ? value.bind(archive) : value;
      return async (...span: Parameters<LocalReader['download']>) => {
        const download = await archive.download(...span);
        if (!isFull || span[1] === t0) return download;
        return {
          ...download,
          // As a write to a full disk ends.
          stream: async function* () {
            yield* [];
            throw systemError('ENOSPC');
          },
        };
      };
    },
  });
  const exports = at.open({ archive: full });
  const { id } = await exports.add(request(at));
  const failed = await reaches(at, exports, id, 'failed');
  assert.equal(failed.failure, 'disk-full');
  assert.equal(failed.streams[0]?.files, 1);
  isFull = false;
  const record = await at.store.exports.byId(id);
  assert.ok(record);
  await exports.retry(record);
  await reaches(at, exports, id, 'ready');
  assert.deepEqual((await verifyPackage(join(at.folder, 'exports', `${id}.zip`))).problems, []);
});

test('quota and disk space are checked before an export is accepted, and one without footage is rejected', async (t) => {
  const at = await scene(t);
  const tight = at.open({ limits: () => ({ keepMs: 1, quotaBytes: 10, minFreeBytes: 0 }) });
  await assert.rejects(tight.add(request(at)), faultOf('QuotaReached'));
  const free = at.open({ limits: () => ({ keepMs: 1, quotaBytes: 1e12, minFreeBytes: 1e18 }) });
  await assert.rejects(free.add(request(at)), faultOf('QuotaReached'));
  const nothing = { ...request(at), startMs: t0 + 26_000, endMs: t0 + 28_000 };
  await assert.rejects(at.open().add(nothing), faultOf('NotFound'));
});

test('cancelling ends a running export and leaves nothing; a finished one is deleted when it expires', async (t) => {
  const at = await scene(t);
  const held = Promise.withResolvers<undefined>();
  const exports = at.open({ refusal: () => held.promise });
  const { id } = await exports.add(request(at));
  const record = await at.store.exports.byId(id);
  assert.ok(record);
  const removed = exports.remove(record);
  held.resolve(undefined);
  await removed;
  assert.equal(await at.store.exports.byId(id), undefined);
  assert.ok(!existsSync(join(at.folder, 'exports', `${id}.zip.part`)));

  const next = await exports.add(request(at));
  const ready = await reaches(at, exports, next.id, 'ready');
  assert.equal(ready.expiresAt, at.clock.wallMs() + 3_600_000);
  at.clock.stepWall(3_600_001);
  await exports.expire();
  assert.equal(await at.store.exports.byId(next.id), undefined);
  assert.ok(!existsSync(join(at.folder, 'exports', `${next.id}.zip`)));
});

test('a package is served completely and by byte ranges', async (t) => {
  const at = await scene(t);
  const exports = at.open();
  const { id } = await exports.add(request(at));
  await reaches(at, exports, id, 'ready');
  const record = await at.store.exports.byId(id);
  assert.ok(record);
  const found = await exports.package(record);
  const { bytes } = found;
  const path = join(at.folder, 'exports', `${id}.zip`);
  const all = Buffer.concat(await (await found.stream(0, bytes - 1)).toArray());
  assert.deepEqual(all, Buffer.concat(await createReadStream(path).toArray()));
  assert.deepEqual(Buffer.concat(await (await found.stream(10, 19)).toArray()), all.subarray(10, 20));
});

test('[R10.8] a package of another node is fetched from there, and removing it here deletes it there', async (t) => {
  const at = await scene(t);
  const asked: unknown[] = [];
  const south = at.open({ node: 'south' });
  const north = at.open({
    node: 'north',
    elsewhere: (node, id) => {
      asked.push([node, id]);
      return south.packageHere(id);
    },
  });
  const { id } = await south.add(request(at));
  await reaches(at, south, id, 'ready');
  const record = await at.store.exports.byId(id);
  assert.ok(record);
  const { bytes } = await north.package(record);
  assert.deepEqual(asked, [['south', id]]);
  assert.ok(bytes > 0);

  const path = join(at.folder, 'exports', `${id}.zip`);
  await north.remove(record);
  assert.equal(await at.store.exports.byId(id), undefined);
  assert.equal((await at.store.exports.list(record.userId, { page: 1, pageSize: 10 })).total, 0);
  // What its node notes about it meanwhile does not restore it.
  await at.store.exports.save(id, { status: 'ready' });
  assert.equal(await at.store.exports.byId(id), undefined);
  at.clock.advance(5_000);
  while (existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
});

test('[R10.8] exports of a node that has left the cluster are deleted when they are removed, or when they expire', async (t) => {
  const at = await scene(t);
  const south = at.open({ node: 'south' });
  const north = at.open({ node: 'north' });
  const { id: removed } = await south.add(request(at));
  const { id: kept } = await south.add(request(at));
  await reaches(at, south, removed, 'ready');
  await reaches(at, south, kept, 'ready');
  await south.close();
  await at.store.nodes.welcome('south', 'its key', at.clock.wallMs());
  const all = async () => (await at.store.exports.all()).map(({ id }) => id);
  const record = await at.store.exports.byId(removed);
  assert.ok(record);
  await north.remove(record);
  await north.expire();
  assert.deepEqual(await all(), [removed, kept], 'its node may come back');
  await at.store.nodes.remove('south');
  await north.expire();
  assert.deepEqual(await all(), [kept]);
  await at.store.exports.save(kept, { expiresMs: at.clock.wallMs() });
  await north.expire();
  assert.deepEqual(await all(), []);
});

test('[R15.4] while exports wait nothing is written, their owner learns it, and they continue by themselves', async (t) => {
  const at = await scene(t);
  at.load.set(1);
  const exports = at.open();
  const { id, isHeld } = await exports.add(request(at));
  assert.ok(isHeld);
  const running = await reaches(at, exports, id, 'running');
  assert.ok(running.isHeld);
  assert.equal(running.bytes, 0);
  at.load.set(0);
  const ready = await reaches(at, exports, id, 'ready');
  assert.equal(ready.isHeld, false);
});

test('[R15.4] an export that is being written stops in the middle of a file, and can be cancelled there', async (t) => {
  const at = await scene(t);
  const slow = new Proxy(at.archive, {
    get(archive, name) {
      const value: unknown = Reflect.get(archive, name, archive);
      if (name !== 'download') return typeof value === 'function' ? value.bind(archive) : value;
      return async (...span: Parameters<LocalReader['download']>) => {
        const download = await archive.download(...span);
        return {
          ...download,
          stream: async function* () {
            for await (const chunk of download.stream()) {
              yield chunk;
              assert.equal(at.load.level, 0, 'nothing is read while it waits');
              at.load.set(1);
            }
          },
        };
      };
    },
  });
  const exports = at.open({ archive: slow });
  const { id } = await exports.add(request(at));
  const view = await eventually(
    async () => {
      const record = await at.store.exports.byId(id);
      assert.ok(record);
      const seen = await exports.view(record);
      assert.ok(seen.isHeld && seen.bytes > 0, 'it has stopped');
      return seen;
    },
    () => true,
  );
  assert.ok(view.bytes < view.expectedBytes);
  const record = await at.store.exports.byId(id);
  assert.ok(record);
  await exports.remove(record);
  assert.ok(!existsSync(join(at.folder, 'exports', `${id}.zip.part`)));
});
