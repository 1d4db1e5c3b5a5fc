/**
 * How many seconds of what a camera has sent are missing in the files after the recorder is killed with SIGKILL at a random
 * moment, with GOPs of 2 s and of 10 s: Vidette with engines and in one process, `ffmpeg -c copy` into segments and
 * into fragmented MP4, and MediaMTX where it is on the path. All record at the same time and are killed at the same time. The files are counted as the kill left
 * them; Vidette flushes what it counts, the others don't.
 *
 *   npm run bench loss [ROUNDS=5] [STREAMS=4]
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { Rival, rivalsOnPath } from './rivals.ts';
import { median } from './usage.ts';

const run = promisify(execFile);

const [rounds = 5, streams = 4] = process.argv.slice(2).map(Number);
const kbitPerSecond = 2_000;
const gops = [2, 10];
/** Recorded before the kill: at least one GOP of which the recorder knows the length, and a random moment of the next. */
const leastSeconds = 12;

/** A recorder of some cameras. */
interface Recorder {
  kill(): Promise<void>;
  /** The files of a camera, in order. */
  filesOf(url: string): string[];
}

type Start = (urls: readonly string[], folder: string) => Promise<Recorder>;

const vidette =
  (engines: number): Start =>
  async (urls, folder) => {
    const server = await startServer({ dataDir: folder, env: { VIDETTE_ENGINE_PROCESSES: String(engines) } });
    const { client } = await administratorOf(server);
    const uids = new Map<string, string>();
    for (const [index, url] of urls.entries()) {
      const body = {
        ...{ name: `Camera ${index}`, streamSource: url },
        ...{ archive: { isEnable: true }, live: { onDemand: false } },
      };
      uids.set(url, (await client.addStream({ body })).uid);
    }
    return {
      kill: () => server.kill(),
      filesOf: (url) => mp4Files(join(folder, 'archive', uids.get(url) ?? '')),
    };
  };

const ffmpeg =
  (...output: string[]): Start =>
  (urls, folder) => {
    const running = urls.map((url, index) => {
      const cwd = join(folder, String(index));
      mkdirSync(cwd, { recursive: true });
      const input = ['-v', 'error', '-rtsp_transport', 'tcp', '-i', url];
      return spawn('ffmpeg', [...input, '-c', 'copy', ...output], { cwd, stdio: 'ignore' });
    });
    return Promise.resolve({
      async kill() {
        const ended = running.map((child) => once(child, 'exit'));
        for (const child of running) child.kill('SIGKILL');
        await Promise.all(ended);
      },
      filesOf: (url) => mp4Files(join(folder, String(urls.indexOf(url)))),
    });
  };

const mediamtx: Start = async (urls, folder) => {
  const list = urls.map((source, index) => ({ name: `camera${index}`, source }));
  const server = await Rival.start('mediamtx', folder, { streams: list, isRecorded: true });
  return {
    kill: () => server.stop('SIGKILL'),
    filesOf: (url) => mp4Files(join(folder, 'recordings', `camera${urls.indexOf(url)}`)),
  };
};

const contenders: Readonly<Record<string, Start>> = {
  'vidette, engines': vidette(1),
  'vidette, one process': vidette(0),
  'ffmpeg -f segment': ffmpeg('-f', 'segment', '-segment_time', '5', '%03d.mp4'),
  'ffmpeg, fragmented': ffmpeg('-movflags', 'frag_keyframe+empty_moov', 'all.mp4'),
  ...Object.fromEntries(rivalsOnPath('mediamtx').map((name) => [name, mediamtx])),
};

function mp4Files(folder: string): string[] {
  return globSync('**/*.mp4', { cwd: folder })
    .sort()
    .map((name) => join(folder, name));
}

/** Video frames that can be read. A file without a `moov` has none. */
async function framesIn(files: readonly string[]): Promise<number> {
  const options =
    '-v quiet -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0';
  let sum = 0;
  for (const file of files) {
    const { stdout } = await run('ffprobe', [...options.split(' '), file]).catch(() => ({ stdout: '' }));
    sum += Number.parseInt(stdout, 10) || 0;
  }
  return sum;
}

/** One round of all contenders; seconds lost of each stream. */
async function round(gopSeconds: number): Promise<Map<string, number[]>> {
  const names = Object.entries(contenders);
  const folder = mkdtempSync(join(tmpdir(), 'vidette-loss-'));
  const cameras = await LoadCameras.start(names.length * streams, kbitPerSecond, 1e6, {
    ...{ hasAudio: false, gopSeconds },
  });
  try {
    const recorders = await Promise.all(
      names.map(async ([name, start], index) => {
        const urls = cameras.urls.slice(index * streams, (index + 1) * streams);
        const own = join(folder, String(index));
        mkdirSync(own);
        return { name, urls, recorder: await start(urls, own) };
      }),
    );
    while (cameras.urls.some((url) => cameras.beganMs(url) === undefined)) await pause(100);
    await pause((leastSeconds + Math.random() * gopSeconds) * 1000);
    const kills = recorders.map(async ({ recorder }) => {
      const killedMs = Date.now();
      await recorder.kill();
      return killedMs;
    });
    const killed = await Promise.all(kills);
    const lost = new Map<string, number[]>();
    for (const [index, { name, urls, recorder }] of recorders.entries()) {
      const losses: number[] = [];
      for (const url of urls) {
        const sentSeconds = ((killed[index] ?? 0) - (cameras.beganMs(url) ?? 0)) / 1000;
        losses.push(sentSeconds - (await framesIn(recorder.filesOf(url))) / framesPerSecond);
      }
      lost.set(name, losses);
    }
    return lost;
  } finally {
    cameras.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

let isMissed = false;
for (const gopSeconds of gops) {
  const all = new Map<string, number[]>();
  for (let turn = 0; turn < rounds; turn++)
    for (const [name, losses] of await round(gopSeconds))
      all.set(name, [...(all.get(name) ?? []), ...losses]);
  console.log(
    `GOP of ${gopSeconds} s, load average ${(loadavg()[0] ?? 0).toFixed(1)}; seconds lost, median and worst:`,
  );
  for (const [name, losses] of all) {
    console.log(`  ${name.padEnd(22)} ${median(losses).toFixed(2)} ${Math.max(...losses).toFixed(2)}`);
    if (name.startsWith('vidette') && (median(losses) > 0.5 || Math.max(...losses) > 1)) isMissed = true;
  }
}
process.exitCode = isMissed ? 1 : 0;
