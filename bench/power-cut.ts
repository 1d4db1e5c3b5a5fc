/**
 * `npm run bench power-cut [CUTS=8] [ENGINES=4]`: what is left of eight recorded streams when the power fails. The archive is on an
 * ext4 file system in an image; a cut is a copy of that image, taken at one instant between two writes (a reflink on btrfs)
 * while the server records: it contains what the file system had sent to its disk, and nothing that was only in memory. Each copy
 * is mounted, which replays the journal, and a second server is started from it. Footage that was reported as recorded before the
 * cut must be there, `vidette check` must find nothing, and ffprobe must read every file. Exit code 1 otherwise.
 *
 * Needs root on Linux and mkfs.btrfs.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from '../e2e/api.ts';
import { gstAudio, gstVideo, startGstServer } from '../e2e/rtsp/gst-server.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import {
  addRecordedStreams,
  awaitRecording,
  checkArchive,
  endWithVerdict,
  probeFiles,
  problem,
  recordedEnds,
} from './nothing-lost.ts';
import { median } from './usage.ts';

const run = promisify(execFile);
const [cuts = 8, engines = 4] = process.argv.slice(2).map(Number);
const streamCount = 8;
const gibibyte = 1024 ** 3;
const env = { VIDETTE_ENGINE_PROCESSES: String(engines) };

const lossesMs: number[] = [];

/** The start of the gap that a cut left, ms since the epoch; 0 if there is no footage. */
async function gapAfter(client: Client, uid: string, cutMs: number): Promise<number> {
  const query = { start_time: cutMs - 60_000, end_time: cutMs + 3_600_000 };
  const { ranges } = await client.getArchiveRanges({ params: { uid }, query });
  return ranges.findLast(({ date, status }) => status === 'gap' && date <= cutMs)?.date ?? 0;
}

/** Starts a server from what a cut has left, and compares it with what was promised. */
async function judge(
  dataDir: string,
  cookie: string,
  promised: ReadonlyMap<string, number>,
  cutMs: number,
): Promise<number> {
  const files = await probeFiles(dataDir);
  const server = await startServer({ dataDir, env });
  try {
    const client = clientOf(server, cookie);
    for (const [uid, promisedMs] of promised) {
      const startMs = await gapAfter(client, uid, cutMs);
      if (startMs < promisedMs) problem(`${uid}: ${promisedMs - startMs} ms of recorded footage are missing`);
      lossesMs.push(cutMs - startMs);
    }
  } finally {
    await server.stop();
  }
  await checkArchive(dataDir);
  return files;
}

const base = await mkdtemp(join(tmpdir(), 'vidette-power-cut-'));
const [outer, disk, copyDisk] = [join(base, 'outer'), join(base, 'disk'), join(base, 'copy')];
const mounted: string[] = [];

async function mount(image: string, folder: string): Promise<void> {
  await run('mount', ['-o', 'loop', image, folder]);
  mounted.unshift(folder);
}

async function unmount(folder: string): Promise<void> {
  await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]));
  mounted.splice(mounted.indexOf(folder), 1);
}

const paths = Array.from({ length: streamCount / 2 }, (_, index) => `/cam${index}`);
const launch = `( ${gstVideo('h264')} ${gstAudio('aac')} )`;
const camera = await startGstServer({ mounts: Object.fromEntries(paths.map((path) => [path, launch])) });
let server: TestServer | undefined;
try {
  for (const folder of [outer, disk, copyDisk]) await mkdir(folder);
  await writeFile(join(base, 'outer.img'), '');
  await truncate(join(base, 'outer.img'), 24 * gibibyte);
  await run('mkfs.btrfs', ['-q', join(base, 'outer.img')]);
  await mount(join(base, 'outer.img'), outer);
  const image = join(outer, 'disk.img');
  await writeFile(image, '');
  await truncate(image, 4 * gibibyte);
  await run('mkfs.ext4', ['-q', '-F', image]);
  await mount(image, disk);

  server = await startServer({ dataDir: join(disk, 'data'), env });
  const { client, cookie } = await administratorOf(server);
  const urls = paths.flatMap((path) => ['demo:', camera.url(path)]);
  const uids = await addRecordedStreams(client, urls);
  await awaitRecording(client, uids, Date.now());
  for (let cut = 1; cut <= cuts; cut++) {
    await pause(Math.random() * 3_000);
    const promised = await recordedEnds(client, uids);
    const cutMs = Date.now();
    const copy = join(outer, `cut-${cut}.img`);
    await run('cp', ['--reflink=always', image, copy]);
    const copiedMs = Date.now();
    await mount(copy, copyDisk);
    const files = await judge(join(copyDisk, 'data'), cookie, promised, copiedMs);
    await unmount(copyDisk);
    await rm(copy);
    console.log(`${cut}/${cuts}: ${files} files, the copy took ${copiedMs - cutMs} ms`);
  }
  console.log(
    `${engines} engines, ${cuts} cuts: footage before a cut that is missing: median ${median(lossesMs)?.toFixed(0)} ms, ` +
      `worst ${Math.max(...lossesMs)}; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  endWithVerdict();
} finally {
  await server?.kill();
  await camera.stop();
  for (const folder of [...mounted]) await unmount(folder);
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
