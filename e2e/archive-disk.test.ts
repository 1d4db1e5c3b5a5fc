import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { clientOf, until } from './api.ts';
import { LoopDisk, runProgram } from './loop-disk.ts';
import { checkArchive, footageIn, lastHour, prepared, warningsOf } from './past-archive.ts';
import { recordPast } from './past-footage.ts';
import { signIn, startServer, type TestServer } from './server.ts';
import { TestEnv } from './test-env.ts';

const mainProgram = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

/** The playlist's byte ranges of the file with a name like `22-00-10.000.mp4`, as its player requests them. */
async function entriesOf(
  client: Client,
  uid: string,
  query: { start_time: number; end_time: number },
  name: string,
) {
  const playlist = await (await client.getArchivePlaylist({ params: { uid }, query })).text();
  const entries = [...playlist.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)\n(\S+)/g)].map(
    ([, length, offset, file = '']) => ({ from: Number(offset), bytes: Number(length), file }),
  );
  const [day, time = ''] = name.replace('.mp4', '').split('/');
  const startMs = Date.parse(`${day}T${time.replace('-', ':').replace('-', ':')}Z`);
  return entries.filter(({ file }) => Number(/(\d+)\.mp4/.exec(file)?.[1]) === startMs * 90);
}

// Disks that are full, read-only, missing, or contain files that can't be deleted; real ones, as far as a loop
// device is.

const WAIT_MS = 60_000;

/** Waits until the newest range of a stream is live. */
const recordsLive = (client: Client, uid: string) =>
  until(
    async () => (await client.getArchiveRanges({ params: { uid }, query: lastHour() })).ranges.at(-1)?.status,
    (status) => status === 'live',
    WAIT_MS,
  );

describe('disks, each with a server of its own', { concurrency: 3 }, () => {
  test('[R10.4] on a read-only disk no footage is dropped from the catalog, one file that can’t be deleted does not protect others, and all are deleted when that is possible', async (t) => {
    const disk = await LoopDisk.make(t, 192);
    if (!disk) return;
    const { dataDir, env, uid, folder } = await prepared(t, {
      folder: join(disk.folder, 'footage'),
      count: 12,
    });
    // No process has a file on it open for writing: otherwise it could not be remounted read-only.
    await disk.remount('ro');
    const first = await startServer({ dataDir, env });
    t.after(() => first.kill());
    const client = clientOf(first, await signIn(first));
    const statsOf = (who: Client) => who.getArchiveStats({ params: { uid } });
    const perSegment = (await statsOf(client)).bytes / 12;
    const keep = (who: Client, segments: number) =>
      who.saveConfiguration({
        body: { values: { archive: { quotaBytes: Math.round((segments + 0.5) * perSegment) } } },
      });
    await keep(client, 9);
    await until(
      () => warningsOf(client),
      (warnings) => warnings.includes('archive-undeletable EROFS'),
      WAIT_MS,
    );
    assert.equal((await statsOf(client)).segments, 12);
    await disk.remount('rw');
    await until(
      async () => (await footageIn(folder)).length,
      (files) => files === 9,
      WAIT_MS,
    );
    assert.equal((await statsOf(client)).segments, 9);
    const [oldest = ''] = await footageIn(folder);
    await disk.setImmutable(join(folder, oldest), true);
    t.after(() => runProgram('chattr', ['-i', join(folder, oldest)]));
    await keep(client, 6);
    await until(
      () => warningsOf(client),
      (warnings) => warnings.includes('archive-undeletable EPERM'),
      WAIT_MS,
    );
    await until(
      async () => (await statsOf(client)).segments,
      (segments) => segments === 7,
      WAIT_MS,
    );
    assert.equal((await footageIn(folder))[0], oldest);
    await first.kill();
    const second = await startServer({ dataDir, env });
    t.after(() => second.stop());
    const again = clientOf(second, await signIn(second));
    assert.equal((await statsOf(again)).segments, 7);
    await disk.setImmutable(join(folder, oldest), false);
    await until(
      async () => (await footageIn(folder)).length,
      (files) => files === 6,
      WAIT_MS,
    );
    await second.stop();
    await checkArchive(dataDir, env);
  });

  test('[R10.4] a disk that answers EIO to everything, even its marker, stops only recording, which continues when the disk responds', async (t) => {
    const disk = await LoopDisk.make(t, 128, ['-O', '^has_journal']);
    if (!disk) return;
    const footage = join(disk.folder, 'footage');
    const { dataDir, env, uid } = await prepared(t, { folder: footage, count: 1, isRecorded: true });
    const server = await startServer({ dataDir, env });
    t.after(() => server.stop());
    const client = clientOf(server, await signIn(server));
    const isLive = () => recordsLive(client, uid);
    await isLive();
    const marker = join(footage, 'vidette-archive.json');
    await disk.failFrom(await disk.placeOf(marker));
    await disk.forgetRead(marker);
    await assert.rejects(readFile(marker), { code: 'EIO' });
    await until(
      () => warningsOf(client),
      (warnings) =>
        warnings.includes('archive-disk-missing marker-unreadable') &&
        warnings.includes(`stream-not-recording ${uid}`),
      WAIT_MS,
    );
    await signIn(server);
    assert.equal((await client.getStream({ params: { uid } })).name, 'Gate 2');
    await disk.failFrom(undefined);
    await until(
      () => warningsOf(client),
      (warnings) => warnings.length === 0,
      WAIT_MS,
    );
    await isLive();
    // The same at startup: live video and configuration work without the disk.
    await server.kill();
    await disk.failFrom(await disk.placeOf(marker));
    await disk.forgetRead(marker);
    const next = await startServer({ dataDir, env });
    t.after(() => next.stop());
    const again = clientOf(next, await signIn(next));
    assert.ok((await warningsOf(again)).includes('archive-disk-missing marker-unreadable'));
    await disk.failFrom(undefined);
    await until(
      () => warningsOf(again),
      (warnings) => warnings.length === 0,
      WAIT_MS,
    );
    await next.stop();
  });

  test('[R10.4] at 0 bytes free users can sign in, it is recorded, footage is deleted to free space, and a killed server starts', async (t) => {
    const disk = await LoopDisk.make(t, 96);
    if (!disk) return;
    const { dataDir, env, uid, folder } = await prepared(t, {
      dataDir: disk.folder,
      count: 12,
      isRecorded: true,
    });
    const first = await startServer({ dataDir, env });
    t.after(() => first.kill());
    const client = clientOf(first, await signIn(first));
    await until(
      async () => (await client.getArchiveStats({ params: { uid } })).segments,
      (segments) => segments > 12,
      WAIT_MS,
    );
    assert.ok((await stat(join(dataDir, 'reserve'))).size > 0);
    await disk.fill();
    const sinceMs = Date.now();
    for (let count = 0; count < 5; count++) await signIn(first);
    const { items } = await client.listAuditLogs({ query: { action: 'signIn' } });
    assert.ok(items.filter(({ time }) => time >= sinceMs - 1_000).length >= 5);
    // All past footage is older than the last hour: it is deleted for the space that the quota requires.
    await until(
      async () => (await footageIn(folder)).length,
      (files) => files < 12,
      WAIT_MS,
    );
    assert.doesNotMatch(first.output, /audit entries/i);
    await first.kill();
    await disk.fill();
    assert.ok((await disk.freeBytes()) < 64 * 1024);
    const second = await startServer({ dataDir, env });
    t.after(() => second.stop());
    const again = clientOf(second, await signIn(second));
    assert.ok((await warningsOf(again)).includes('archive-disk-usage'));
    assert.equal((await again.getStream({ params: { uid } })).name, 'Gate 2');
    await second.stop();
  });

  test('[R10.4] on a disk that other programs fill, only old recordings are deleted: the last hour stays, the log names each batch, and the page shows what uses the disk', async (t) => {
    const disk = await LoopDisk.make(t, 256);
    if (!disk) return;
    const scene = await prepared(t, { folder: join(disk.folder, 'footage'), count: 0, depthHours: 48 });
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    const spans = [170, 150, 130, 110, 90, 50, 40, 30, 20, 10].map((minutes) => ({
      startMs: nowMs - minutes * 60_000,
      endMs: nowMs - minutes * 60_000 + 10_000,
    }));
    await recordPast(scene.dataDir, scene.uid, spans, {}, { dir: join(disk.folder, 'footage') });
    const server = await startServer({ dataDir: scene.dataDir, env: scene.env });
    const cookie = await signIn(server);
    const env = await TestEnv.over(server, cookie);
    t.after(() => env.close());
    const all = await footageIn(scene.folder);
    await disk.fill(8 * 1024 * 1024);
    const left = await until(
      () => footageIn(scene.folder),
      // One after the other; the log says whether it was one batch.
      (names) => names.length <= all.length - 5,
      WAIT_MS,
    );
    assert.deepEqual(left, all.slice(5), 'what is older than an hour went');
    const [line = '', ...others] = await until(
      () => server.output.split('\n').filter((text) => text.includes('deleted early')),
      (lines) => lines.length > 0,
      WAIT_MS,
    );
    assert.deepEqual(others, []);
    assert.match(line, /files of other programs fill the disk/);
    const { stream, segments, otherBytes, archiveBytes } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual([stream, segments], [scene.uid, 5]);
    assert.ok(Number(otherBytes) > Number(archiveBytes));
    await env.open('/streams', async (page) => {
      await page.getByRole('button', { name: /problem/ }).click();
      for (const text of [
        /other files take [\d.]+\sMB, recordings [\d.]+\s.?B/,
        /because other files \([\d.]+\sMB\) filled/,
      ])
        await page.getByText(text).waitFor({ timeout: WAIT_MS });
    });
    assert.deepEqual(await footageIn(scene.folder), left);
  });

  test('[R10.4] the databases’ disk at 0 bytes: sign-in and start, while the archive records on another', async (t) => {
    const disk = await LoopDisk.make(t, 48);
    const other = await LoopDisk.make(t, 256);
    if (!disk || !other) return;
    const place = { dataDir: disk.folder, folder: join(other.folder, 'footage') };
    const { dataDir, env, uid } = await prepared(t, { ...place, count: 1, isRecorded: true });
    const first = await startServer({ dataDir, env });
    t.after(() => first.kill());
    const giveBack = await disk.fill();
    const client = clientOf(first, await signIn(first));
    await recordsLive(client, uid);
    await first.kill();
    await disk.fill();
    const second = await startServer({ dataDir, env });
    t.after(() => second.stop());
    const again = clientOf(second, await signIn(second));
    await until(
      () => warningsOf(again),
      (warnings) => warnings.includes('data-disk-full'),
      WAIT_MS,
    );
    await giveBack();
    await until(
      () => warningsOf(again),
      (warnings) => !warnings.includes('data-disk-full'),
      WAIT_MS,
    );
    await second.stop();
  });

  test('[R10.4] a server that starts with a clock a year ahead deletes nothing by age and reports it; with the right clock it works normally', async (t) => {
    const { dataDir, uid } = await prepared(t, { count: 12, depthHours: 48 });
    // Without the wrapper in between: signals must reach the server itself.
    const { output: library } = await runProgram('sh', ['-c', 'ls /usr/lib/*/faketime/libfaketime.so.1']);
    const wrong = await startServer({
      dataDir,
      env: { LD_PRELOAD: library.trim(), FAKETIME: '+400d' },
    });
    t.after(() => wrong.kill());
    const client = clientOf(wrong, await signIn(wrong));
    await until(
      () => warningsOf(client),
      (warnings) => warnings.includes('archive-clock'),
      WAIT_MS,
    );
    assert.match(wrong.output, /The clock is ahead of the archive/);
    assert.equal((await client.getArchiveStats({ params: { uid } })).segments, 12);
    await wrong.stop();
    const right = await startServer({ dataDir });
    t.after(() => right.stop());
    const again = clientOf(right, await signIn(right));
    assert.ok(!(await warningsOf(again)).includes('archive-clock'));
    assert.equal((await again.getArchiveStats({ params: { uid } })).segments, 12);
    await right.stop();
  });

  test('[R10.4] a disk that is removed from a recording server, or emptied, is reported within seconds, and recording continues when it returns', async (t) => {
    const disk = await LoopDisk.make(t, 256);
    if (!disk) return;
    const { dataDir, env, uid } = await prepared(t, {
      folder: join(disk.folder, 'footage'),
      count: 1,
      isRecorded: true,
    });
    const server = await startServer({ dataDir, env });
    t.after(() => server.stop());
    const client = clientOf(server, await signIn(server));
    const isLive = () => recordsLive(client, uid);
    const isSaid = () =>
      until(
        () => warningsOf(client),
        (warnings) =>
          warnings.includes('archive-disk-missing disk-empty') &&
          warnings.includes(`stream-not-recording ${uid}`),
        WAIT_MS,
      );
    await isLive();
    await disk.unmount();
    await isSaid();
    assert.deepEqual(await readdir(disk.folder), [], 'nothing is written below the mount point');
    await disk.mount();
    await until(
      () => warningsOf(client),
      (warnings) => warnings.length === 0,
      WAIT_MS,
    );
    await isLive();
    await rm(join(disk.folder, 'footage'), { recursive: true });
    await isSaid();
    await server.stop();
  });

  test('[R10.3] sectors that can’t be read: the file is reported, everything else is served, check continues, and the file is used again when it can be read', async (t) => {
    const disk = await LoopDisk.make(t, 192, ['-O', '^has_journal']);
    if (!disk) return;
    const { dataDir, env, uid, folder } = await prepared(t, {
      folder: join(disk.folder, 'footage'),
      count: 4,
    });
    const names = await footageIn(folder);
    // Each in one piece: written part by part, a file may continue behind another one on the disk.
    for (const name of names) {
      const path = join(folder, name);
      await copyFile(path, join(disk.folder, 'copy'));
      await rename(join(disk.folder, 'copy'), path);
    }
    const places = await Promise.all(
      names.map(async (name) => ({ name, at: await disk.placeOf(join(folder, name)) })),
    );
    const last = places.reduce((a, b) => (a.at > b.at ? a : b));
    // Everything before it on the disk can be read; the system has not read any of it yet.
    await disk.unmount();
    await disk.mount();
    await disk.failFrom(last.at);
    // A process with mounts of its own may keep the unmounted disk, and what was read of it.
    await disk.forgetRead(join(folder, last.name));
    await assert.rejects(readFile(join(folder, last.name)), { code: 'EIO' });
    const query = { start_time: Date.now() - 6_300_000, end_time: Date.now() - 3_300_000 };
    const gapsOf = async (client: Client) => {
      await client.getArchivePlaylist({ params: { uid }, query });
      const { gaps } = await client.getArchiveRanges({ params: { uid }, query });
      return gaps.filter(({ cause }) => cause === 'file-damaged').length;
    };
    /** Downloads all of it to the end. */
    const durationOf = async (client: Client) => {
      const reply = await client.downloadArchive({ params: { uid }, query });
      assert.equal((await reply.arrayBuffer()).byteLength, Number(reply.headers.get('content-length')));
      return Number(reply.headers.get('x-archive-duration'));
    };
    const first = await startServer({ dataDir, env });
    t.after(() => first.kill());
    const client = clientOf(first, await signIn(first));
    await until(
      () => gapsOf(client),
      (gaps) => gaps === 1,
      WAIT_MS,
    );
    assert.match(first.output, new RegExp(`${last.name}.*EIO|EIO.*${last.name}`));
    const saved = await client.downloadArchive({ params: { uid }, query });
    assert.equal((await saved.arrayBuffer()).byteLength, Number(saved.headers.get('content-length')));
    assert.ok(Math.abs(Number(saved.headers.get('x-archive-duration')) - 30_000) < 1_000);
    const check = await runProgram(process.execPath, [mainProgram, 'check'], {
      VIDETTE_DATA: dataDir,
      ...env,
    });
    assert.equal(check.code, 1);
    assert.match(check.output, new RegExp(`${last.name} cannot be read: EIO`));
    assert.match(check.output, /Findings: 1\./);
    await first.kill();
    await disk.failFrom(undefined);
    const second = await startServer({ dataDir, env });
    t.after(() => second.stop());
    const again = clientOf(second, await signIn(second));
    await until(
      () => gapsOf(again),
      (gaps) => gaps === 0,
      WAIT_MS,
    );
    // Sectors that fail after the file was cached as complete: a started request breaks off, never ends as if
    // complete, and marks the segment. Later requests skip the rest of it.
    const wholeMs = await durationOf(again);
    const bytes = await readFile(join(folder, last.name));
    const inMedia = Math.ceil((bytes.lastIndexOf('moof') + 8_192) / 4_096) * 4_096;
    assert.ok(inMedia < bytes.length);
    const entries = await entriesOf(again, uid, query, last.name);
    const lastEntry = entries.at(-1);
    assert.ok(lastEntry && lastEntry.from + lastEntry.bytes > inMedia);
    /** The answer to a player that requests the newest part of the file. */
    const statusFor = async (server: TestServer, cookie: string) => {
      const url = new URL(lastEntry.file, new URL(addressOf('getArchivePlaylist', { uid }), server.url));
      const range = `bytes=${lastEntry.from}-${lastEntry.from + lastEntry.bytes - 1}`;
      const reply = await fetch(url, { headers: { cookie, range } });
      return [
        reply.status,
        await reply.arrayBuffer().then(
          ({ byteLength }) => byteLength,
          () => 'broken off',
        ),
      ];
    };
    await disk.failFrom(last.at + inMedia);
    await disk.forgetRead(join(folder, last.name));
    await assert.rejects(durationOf(again));
    assert.equal(await gapsOf(again), 1);
    const leftMs = await durationOf(again);
    assert.ok(leftMs < wholeMs && leftMs > wholeMs - 5_000, `${leftMs} of ${wholeMs}`);
    await second.kill();
    // The same detected by a player's request, whose answer is correct: this footage no longer exists.
    await disk.failFrom(undefined);
    const third = await startServer({ dataDir, env });
    t.after(() => third.stop());
    const cookie = await signIn(third);
    const player = clientOf(third, cookie);
    await until(
      () => gapsOf(player),
      (gaps) => gaps === 0,
      WAIT_MS,
    );
    assert.deepEqual(await statusFor(third, cookie), [206, lastEntry.bytes]);
    await disk.failFrom(last.at + inMedia);
    await disk.forgetRead(join(folder, last.name));
    const [status, body] = await statusFor(third, cookie);
    assert.ok(status === 404 || body === 'broken off', `${status} ${body}`);
    const [nextStatus, nextBody] = await statusFor(third, cookie);
    assert.ok(nextStatus === 404 || nextStatus === 416 || Number(nextBody) < lastEntry.bytes);
    assert.equal(await gapsOf(player), 1);
    assert.deepEqual(
      (await entriesOf(player, uid, query, last.name)).filter(
        ({ from, bytes: length }) => from + length > inMedia,
      ),
      [],
    );
    assert.doesNotMatch(second.output + third.output, /InternalServerError/);
    await third.stop();
  });
});
