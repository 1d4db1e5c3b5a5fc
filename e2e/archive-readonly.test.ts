import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { clientOf, until } from './api.ts';
import { LiveViewer } from './live-viewer.ts';
import { LoopDisk } from './loop-disk.ts';
import { checkArchive, footageIn, lastHour, prepared, warningsOf } from './past-archive.ts';
import { signIn, startServer } from './server.ts';

// A disk that becomes read-only under a recording server, as the kernel does after an error, or an operator
// with a mount.

const WAIT_MS = 60_000;

/** Ranges of the last hour, the newest last. */
async function rangesOf(client: Client, uid: string) {
  return (await client.getArchiveRanges({ params: { uid }, query: lastHour() })).ranges;
}

const untilLive = (client: Client, uid: string) =>
  until(
    () => rangesOf(client, uid),
    (ranges) => ranges.at(-1)?.status === 'live',
    WAIT_MS,
  );

describe('disks that become read-only, each under a server of its own', { concurrency: 2 }, () => {
  test('[R10.4] a disk that the kernel makes read-only under a recording server: live and configuration keep working, it is reported, nothing is lost, and recording resumes by itself', async (t) => {
    const disk = await LoopDisk.make(t, 256);
    if (!disk) return;
    const { dataDir, env, uid, folder } = await prepared(t, {
      folder: join(disk.folder, 'footage'),
      count: 6,
      isRecorded: true,
    });
    const server = await startServer({ dataDir, env });
    t.after(() => server.stop());
    const cookie = await signIn(server);
    const client = clientOf(server, cookie);
    await untilLive(client, uid);
    const before = await client.getArchiveStats({ params: { uid } });
    const kept = await footageIn(folder);
    await disk.abort();
    await until(
      () => warningsOf(client),
      (warnings) =>
        warnings.includes('archive-write-failed EROFS') && warnings.includes(`stream-not-recording ${uid}`),
      WAIT_MS,
    );
    const viewer = await LiveViewer.watch(server, cookie, uid);
    await viewer.receive(15);
    viewer.close();
    await signIn(server);
    await client.saveStream({ params: { uid }, body: { name: 'Gate 3' } });
    // Footage that retention would now delete stays, in the catalog too.
    await client.saveConfiguration({ body: { values: { archive: { quotaBytes: 1 } } } });
    await until(
      () => warningsOf(client),
      (warnings) => warnings.includes('archive-undeletable EROFS'),
      WAIT_MS,
    );
    const during = await client.getArchiveStats({ params: { uid } });
    assert.ok(during.segments >= before.segments && during.bytes >= before.bytes, JSON.stringify(during));
    assert.deepEqual(await footageIn(folder), kept);
    await client.saveConfiguration({ body: { values: { archive: { quotaBytes: null } } } });
    const { startTime } = during;
    const downloaded = await fetch(
      `${server.url}/v1/stream/${uid}/archive/download?start_time=${startTime}&end_time=${(startTime ?? 0) + 5_000}`,
      { headers: { cookie } },
    );
    assert.equal(downloaded.status, 200);
    assert.ok((await downloaded.arrayBuffer()).byteLength > 10_000);

    await disk.unmount();
    await until(
      () => disk.isInUse(),
      (isInUse) => !isInUse,
      WAIT_MS,
    );
    await disk.mount();
    await until(
      () => warningsOf(client),
      (warnings) => warnings.length === 0,
      WAIT_MS,
    );
    await untilLive(client, uid);
    const { gaps } = await client.getArchiveRanges({ params: { uid }, query: lastHour() });
    assert.ok(
      gaps.some(({ cause }) => cause === 'write-failed'),
      JSON.stringify(gaps),
    );
    const after = await client.getArchiveStats({ params: { uid } });
    assert.ok(after.segments > during.segments && after.startTime === before.startTime);
    await server.stop();
    await checkArchive(dataDir, env);
  });

  test('[R10.4] a read-only mount over the disk: no new file is created, nothing is deleted, and recording resumes when it is removed', async (t) => {
    const disk = await LoopDisk.make(t, 256);
    if (!disk) return;
    const { dataDir, env, uid } = await prepared(t, {
      folder: join(disk.folder, 'footage'),
      count: 6,
      isRecorded: true,
    });
    const server = await startServer({ dataDir, env });
    t.after(() => server.stop());
    const client = clientOf(server, await signIn(server));
    await untilLive(client, uid);
    const uncover = await disk.cover();
    const record = (isEnable: boolean) =>
      client.saveStream({ params: { uid }, body: { archive: { isEnable } } });
    // Open files continue; the next file can't be created.
    await record(false);
    await record(true);
    const segments = async () => (await client.getArchiveStats({ params: { uid } })).segments;
    await client.saveConfiguration({ body: { values: { archive: { quotaBytes: 1 } } } });
    await until(
      () => warningsOf(client),
      (warnings) =>
        warnings.includes('archive-write-failed EROFS') && warnings.includes(`stream-not-recording ${uid}`),
      WAIT_MS,
    );
    assert.equal(await segments(), 7);
    await client.saveConfiguration({ body: { values: { archive: { quotaBytes: null } } } });
    await uncover();
    await until(
      () => warningsOf(client),
      (warnings) => warnings.length === 0,
      WAIT_MS,
    );
    await untilLive(client, uid);
    assert.equal(await segments(), 8);
    await server.stop();
    await checkArchive(dataDir, env);
  });
});
