/**
 * `npm run bench move-in [FILES=5000]`: how long it takes until the recordings of another program are visible: 20 cameras with
 * FILES files of ten seconds each, laid out as Frigate does, as many as 1 TB would have with FILES=20000. Each is a file of its
 * own of 250 frames at a low bit rate, since only boxes are read. Also how long the timeline and the first bytes take then, and
 * whether `vidette check` finds anything.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { runCommand } from '../server/src/cli/command-line.ts';
import { median } from './usage.ts';

const run = promisify(execFile);
const cameras = 20;
const files = Number(process.argv[2] ?? 5000);
const fileMs = 10_000;
const goalMs = 300_000;
const asks = 20;
/** The newest recording ends about now. */
const startMs = Math.floor((Date.now() - files * fileMs) / 3_600_000) * 3_600_000;

/** The files of one camera. */
async function lay(root: string, made: string, camera: string): Promise<void> {
  for (let index = 0; index < files; index++) {
    const [day = '', time = ''] = new Date(startMs + index * fileMs).toISOString().split('T');
    const folder = join(root, day, time.slice(0, 2), camera);
    if (index === 0 || time.endsWith('00:00.000Z')) await mkdir(folder, { recursive: true });
    await copyFile(made, join(folder, `${time.slice(3, 5)}.${time.slice(6, 8)}.mp4`));
  }
}

async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  await work();
  return performance.now() - fromMs;
}

const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-'));
const server = await startServer();
let hasFailed = false;
try {
  const { client, cookie } = await administratorOf(server);
  const { secret } = await client.addToken({ body: { name: 'import', expireTime: null } });
  const made = join(folder, 'made.mp4');
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=10'];
  await run('ffmpeg', [
    '-v',
    'error',
    ...source,
    '-c:v',
    'libx264',
    '-g',
    '50',
    '-crf',
    '51',
    '-pix_fmt',
    'yuv420p',
    made,
  ]);
  const names = Array.from({ length: cameras }, (_, index) => `cam${index}`);
  for (const name of names) await lay(join(folder, 'recordings'), made, name);
  const inputs = (name: string) =>
    `ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:9/${name}", roles: [record] }] }`;
  const config = join(folder, 'config.yml');
  await writeFile(config, `cameras: { ${names.map((name) => `${name}: { ${inputs(name)} }`).join(', ')} }`);
  console.log(`${cameras * files} files of ${(await stat(made)).size} bytes`);

  const env = { VIDETTE_DATA: server.dataDir, VIDETTE_TOKEN: secret };
  const imports = () => runCommand('import', ['frigate', config, server.url], env, () => {});
  const firstMs = await timedMs(imports);
  const againMs = await timedMs(imports);
  const { size } = await stat(join(server.dataDir, 'archive.imported.sqlite'));
  console.log(
    `visible after ${(firstMs / 1000).toFixed(1)} s, imported again in ${(againMs / 1000).toFixed(1)} s`,
  );
  console.log(
    `${((firstMs * 1000) / (cameras * files)).toFixed(0)} µs and ${Math.round(size / (cameras * files))} bytes of index per file`,
  );
  if (firstMs > goalMs) hasFailed = true;

  const { items } = await client.listStreams({ query: {} });
  const timelineMs: number[] = [];
  const bytesMs: number[] = [];
  for (const { uid } of items.slice(0, asks)) {
    const { durationMs } = await client.getArchiveStats({ params: { uid } });
    if (durationMs !== files * fileMs) hasFailed = true;
    const query = { start_time: startMs, end_time: startMs + 3 * 3_600_000 };
    timelineMs.push(await timedMs(() => client.getArchiveRanges({ params: { uid }, query })));
    const base = `${server.url}/v1/stream/${uid}/archive/`;
    bytesMs.push(
      await timedMs(async () => {
        const span = `start_time=${startMs + 600_000}&end_time=${startMs + 1_200_000}`;
        const playlist = await (await fetch(`${base}index.m3u8?${span}`, { headers: { cookie } })).text();
        const [, length = '0', offset = '0', file = ''] = /BYTERANGE:(\d+)@(\d+)\n(\S+)/.exec(playlist) ?? [];
        const range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
        const answer = await fetch(new URL(file, base), { headers: { cookie, range } });
        if (answer.status !== 206) throw new Error(`a byte range was answered with ${answer.status}`);
        await answer.arrayBuffer();
      }),
    );
  }
  console.log(
    `ranges of 3 h: ${median(timelineMs).toFixed(1)} ms; playlist of 10 min and first bytes: ${median(bytesMs).toFixed(1)} ms`,
  );
  const findings: string[] = [];
  const code = await runCommand(
    'check',
    [],
    { VIDETTE_DATA: server.dataDir },
    (line) => void findings.push(line),
  );
  console.log(findings.join('\n'));
  if (code !== 0) hasFailed = true;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
if (hasFailed) process.exitCode = 1;
