import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test, type TestContext } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { LiveViewer } from './live-viewer.ts';
import { startServer } from './server.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const mebibyte = 1024 * 1024;

/** Runs a program to its end. */
async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** A separate disk in memory; undefined if this user may not mount one. */
async function smallDisk(t: TestContext, mebibytes: number): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-disk-'));
  const { code, output } = await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
  t.after(async () => {
    if (code === 0) await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true, force: true });
  });
  if (code === 0) return folder;
  t.skip(
    `needs the right to mount (${output.trim()}); with injected failures of the disk the same is proved in recorder.test.ts`,
  );
  return undefined;
}

/** Fills a disk except for this many bytes; the returned function frees the space. */
async function occupy(disk: string, leavingBytes: number): Promise<() => Promise<void>> {
  const path = join(disk, 'other-files');
  const file = await open(path, 'w');
  const block = Buffer.alloc(mebibyte);
  const available = async () => {
    const { bavail, bsize } = await statfs(disk);
    return bavail * bsize;
  };
  for (let left = await available(); left > leavingBytes; left = await available()) {
    try {
      await file.write(block, 0, Math.min(block.length, left - leavingBytes));
    } catch (error) {
      // Recording used the rest meanwhile: the disk is full anyway.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      break;
    }
  }
  await file.close();
  return () => rm(path);
}

/** The kinds of the ranges of the last hour, in order. */
async function kinds(client: Client, uid: string): Promise<string[]> {
  const query = { start_time: Date.now() - 3_600_000, end_time: Date.now() };
  const { ranges } = await client.getArchiveRanges({ params: { uid }, query });
  return ranges.map(({ status }) => status);
}

async function warnings(client: Client): Promise<string[]> {
  return (await client.getHealth()).warnings.map(({ code, subject }) =>
    subject ? `${code} ${subject}` : code,
  );
}

const isRecording = (found: readonly string[]) => found.at(-1) === 'live';

describe('full disks, each of a server of its own', { concurrency: 2 }, () => {
  test('[R10.4] [R3.9] a full disk does not affect live video, is reported, damages no stored data, and recording continues when there is space', async (t) => {
    const disk = await smallDisk(t, 128);
    if (!disk) return;
    // Catalog and database are on the full disk too, as by default.
    const server = await startServer({ dataDir: disk, env: { VIDETTE_ARCHIVE_QUOTA_PERCENT: '99' } });
    t.after(() => server.stop());
    const { client, cookie } = await administratorOf(server);
    const { uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:' } });
    await until(() => kinds(client, uid), isRecording, 60_000);

    const giveBack = await occupy(disk, 0);
    const trouble = `stream-not-recording ${uid}`;
    const told = await until(
      () => warnings(client),
      (found) => found.includes(trouble) && found.includes('archive-disk-usage'),
      60_000,
    );
    assert.equal(told.length, 2);
    await until(
      () => server.output,
      (output) => /Recording failed \(disk-full\); it will be retried/.test(output),
      60_000,
    );
    assert.equal((await client.getStream({ params: { uid } })).status, 'running');
    const viewer = await LiveViewer.watch(server, cookie, uid);
    await viewer.receive(30);
    viewer.close();
    const kept = await client.getArchiveStats({ params: { uid } });

    await giveBack();
    await until(
      () => warnings(client),
      (found) => !found.includes(trouble),
      60_000,
    );
    const after = await until(() => kinds(client, uid), isRecording, 60_000);
    assert.ok(after.includes('gap'), after.join(' '));
    const grown = await client.getArchiveStats({ params: { uid } });
    assert.ok(grown.bytes > kept.bytes && grown.startTime === kept.startTime);
    const playlist = { start_time: kept.startTime ?? 0, end_time: Date.now() };
    const reply = await fetch(
      `${server.url}/v1/stream/${uid}/archive/download?start_time=${playlist.start_time}&end_time=${playlist.end_time}`,
      { headers: { cookie } },
    );
    assert.equal(reply.status, 200);
    assert.ok((await reply.arrayBuffer()).byteLength > kept.bytes / 2);

    await server.stop();
    const check = await run(process.execPath, [main, 'check'], { VIDETTE_DATA: disk });
    assert.equal(check.code, 0, check.output);
  });

  test('[R10.4] with a quota, retention deletes the oldest footage from a full disk, and recording uses that space', async (t) => {
    const disk = await smallDisk(t, 128);
    if (!disk) return;
    const archive = join(disk, 'footage');
    // The share to keep free refers to this disk, not to the data folder's larger one: otherwise everything would
    // be deleted.
    const server = await startServer({ env: { VIDETTE_ARCHIVE_FOLDER: archive } });
    t.after(() => server.stop());
    const { client } = await administratorOf(server);
    const { uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:' } });
    const record = (isEnable: boolean) =>
      client.saveStream({ params: { uid }, body: { archive: { isEnable } } });
    // Each time recording is switched off a segment is closed.
    for (let count = 1; count <= 3; count++) {
      await until(
        () => client.getArchiveStats({ params: { uid } }),
        ({ segments }) => segments === count,
        60_000,
      );
      await record(false);
      await record(true);
    }
    const before = await until(
      () => client.getArchiveStats({ params: { uid } }),
      ({ segments }) => segments === 4,
      60_000,
    );
    await client.saveConfiguration({ body: { values: { archive: { quotaBytes: 1 } } } });
    const left = await until(
      () => client.getArchiveStats({ params: { uid } }),
      ({ segments }) => segments === 1,
      60_000,
    );
    assert.ok((left.startTime ?? 0) > (before.startTime ?? 0), 'the newest is what is left');
    const [day = ''] = await readdir(join(archive, uid));
    await until(
      async () => (await readdir(join(archive, uid, day))).filter((name) => name.endsWith('.mp4')),
      (files) => files.length === 1,
    );
    assert.ok(isRecording(await kinds(client, uid)));
  });
});
