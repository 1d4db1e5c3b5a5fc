/**
 * What one engine does with more cameras than it can record: what waits in its memory, how long its event loop is
 * blocked, and how much of what the cameras sent is recorded.
 *
 *   npm run bench overload [STREAMS=1200] [SECONDS=40] [KBIT=256] [ENGINES=1]
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { median } from './usage.ts';

const [streams = 1200, seconds = 40, kbitPerSecond = 256, engines = 1] = process.argv.slice(2).map(Number);
const megabyte = 1e6;

/** Loaded into the processes of the server: those that record write their figures once a second. */
const preloadOf = (folder: string) => `
  import { appendFileSync } from 'node:fs';
  if (/(main|engine-main)\\.ts$/.test(process.argv[1] ?? '') && !/front-main/.test(process.argv[1])) {
    const name = ${JSON.stringify(folder)} + '/figures-' + process.pid;
    const periodMs = 100;
    let lastMs = performance.now();
    let longestMs = 0;
    let notedMs = lastMs;
    setInterval(() => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs - periodMs);
      lastMs = nowMs;
      if (nowMs - notedMs < 1000) return;
      notedMs = nowMs;
      const { rss, arrayBuffers } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      appendFileSync(name, JSON.stringify({ rss, arrayBuffers, longestMs, cpu: (user + system) / 1e6 }) + '\\n');
      longestMs = 0;
    }, periodMs).unref();
  }`;

interface Look {
  readonly rss: number;
  readonly arrayBuffers: number;
  readonly longestMs: number;
  readonly cpu: number;
}

async function looksOf(folder: string): Promise<Look[][]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('figures-'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Look),
  );
}

const folder = await mkdtemp(join(tmpdir(), 'vidette-overload-'));
const preload = join(folder, 'preload.mjs');
await writeFile(preload, preloadOf(folder));
const cameras = await LoadCameras.start(streams, kbitPerSecond, seconds * framesPerSecond, {
  hasAudio: false,
});
const server = await startServer({
  env: {
    VIDETTE_ENGINE_PROCESSES: String(engines),
    NODE_OPTIONS: `--import ${preload}`,
  },
});
try {
  const { client } = await administratorOf(server);
  const beganMs = Date.now();
  const uids: string[] = [];
  for (const [index, streamSource] of cameras.urls.entries()) {
    const body = {
      name: `Camera ${index}`,
      streamSource,
      archive: { isEnable: true },
      live: { onDemand: false },
    };
    uids.push((await client.addStream({ body })).uid);
  }
  console.log(
    `${streams} streams of ${kbitPerSecond} kbit/s added in ${((Date.now() - beganMs) / 1000).toFixed(1)} s`,
  );
  await Promise.race([cameras.finished, pause((seconds + 60) * 1000)]);
  await pause(5_000);
  const shares: number[] = [];
  let gaps = 0;
  for (const uid of uids) {
    const { ranges } = await client.getArchiveRanges({
      params: { uid },
      query: { start_time: beganMs - 60_000, end_time: Date.now() },
    });
    let recordedMs = 0;
    ranges.forEach(({ date, status }, index) => {
      const next = ranges[index + 1]?.date;
      if (status === 'fragment' && next !== undefined) recordedMs += next - date;
      if (status === 'gap' && recordedMs > 0) gaps++;
    });
    shares.push(recordedMs / (seconds * 1000));
  }
  const looks = await looksOf(folder);
  const most = (of: (look: Look) => number) => Math.max(...looks.flat().map(of));
  const cpu = looks.reduce((sum, of) => sum + (of.at(-1)?.cpu ?? 0), 0);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const gigabytes = (streams * seconds * kbitPerSecond * 125) / 1e9;
  console.log(
    `buffers ${(most((l) => l.arrayBuffers) / megabyte).toFixed(0)} MB, memory ${(most((l) => l.rss) / megabyte).toFixed(0)} MB, ` +
      `longest turn ${most((l) => l.longestMs).toFixed(0)} ms, median ${median(looks.flat().map((l) => l.longestMs)).toFixed(0)} ms; ` +
      `CPU ${cpu.toFixed(1)} s (${(cpu / gigabytes).toFixed(1)} s a GB); recorded ${(100 * mean).toFixed(1)} %, ` +
      `least ${(100 * Math.min(...shares)).toFixed(1)} %, ${gaps} gaps; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  for (const line of server.output
    .split('\n')
    .filter((text) => /overload|shed|level":[45]0/.test(text))
    .slice(0, 12))
    console.log(line);
} finally {
  await server.stop();
  cameras.stop();
  await rm(folder, { recursive: true, force: true });
}
