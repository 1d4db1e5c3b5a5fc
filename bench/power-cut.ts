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
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from '../e2e/api.ts';
import { gstAudio, gstVideo, startGstServer } from '../e2e/rtsp/gst-server.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { check } from '../server/src/cli/check.ts';
import { median } from './usage.ts';

const run = promisify(execFile);
const [cuts = 8, engines = 4] = process.argv.slice(2).map(Number);
const streamCount = 8;
const gibibyte = 1024 ** 3;
const env = { VIDETTE_ENGINE_PROCESSES: String(engines) };

const problems: string[] = [];
const lossesMs: number[] = [];

function problem(text: string): void {
  problems.push(text);
  console.log(`  PROBLEM ${text}`);
}

/** The end of each stream's footage, ms since the epoch, as the page is told. */
async function endsOf(client: Client, uids: readonly string[]): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const uid of uids) {
    const { endTime } = await client.getArchiveStats({ params: { uid } });
    if (typeof endTime === 'number') ends.set(uid, endTime);
  }
  return ends;
}

async function awaitRecording(client: Client, uids: readonly string[], sinceMs: number): Promise<void> {
  await until(
    async () => [...(await endsOf(client, uids)).values()].filter((end) => end > sinceMs + 2_500).length,
    (recorded) => recorded === uids.length,
    60_000,
  );
}

async function probeFiles(dataDir: string): Promise<number> {
  const root = join(dataDir, 'archive');
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.mp4'));
  for (const name of files) {
    const { stderr } = await run('ffprobe', ['-v', 'error', '-count_packets', join(root, name)]).catch(
      (error: unknown) => ({ stderr: String(error) }),
    );
    if (stderr !== '') problem(`${name}: ${stderr.trim()}`);
  }
  return files.length;
}

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
  const findings: string[] = [];
  if ((await check({ dataDir, out: (line) => findings.push(line) })) !== 0) findings.forEach(problem);
  return files;
}

async function addStreams(client: Client, urls: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const [index, streamSource] of urls.entries()) {
    const body = {
      name: `Stream ${index + 1}`,
      streamSource,
      archive: { isEnable: true },
      live: { onDemand: false },
    };
    uids.push((await client.addStream({ body })).uid);
  }
  return uids;
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
  const uids = await addStreams(client, urls);
  await awaitRecording(client, uids, Date.now());
  for (let cut = 1; cut <= cuts; cut++) {
    await pause(Math.random() * 3_000);
    const promised = await endsOf(client, uids);
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
  console.log(
    problems.length === 0
      ? 'Nothing that was reported as recorded was lost.'
      : `${problems.length} problems.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await server?.kill();
  await camera.stop();
  for (const folder of [...mounted]) await unmount(folder);
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
