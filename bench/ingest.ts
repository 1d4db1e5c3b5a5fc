/**
 * CPU and memory of receiving and recording RTSP streams of 4 Mbit/s (H.264 1080p25, AAC), compared with one
 * `ffmpeg -c copy` process per stream, and with MediaMTX and Moonfire NVR where they are on the path, in the same run and in
 * alternating order. See README.md for how to read it.
 *
 *   npm run bench ingest [ROUNDS=5] [STREAMS=30] [SECONDS=15]
 *
 * A round in which the frames on the disk differ from the frames sent is void. The flush of every fragment is
 * included.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMoonfireOnPath, recordWithMoonfire } from './moonfire.ts';
import {
  alternate,
  compare,
  Contender,
  cpuPerGB,
  sideOf,
  videtteWith,
  type Start,
} from './recording-load.ts';
import { Rival, rivalsOnPath } from './rivals.ts';
import { endedChildrenCpuSeconds } from './usage.ts';

const [rounds = 5, streams = 30, seconds = 15] = process.argv.slice(2).map(Number);

/** One process per stream. All of its work is for its stream, so its start counts as well. */
const startFfmpeg: Start = (cameras, folder) => {
  const before = endedChildrenCpuSeconds();
  const processes = cameras.urls.map((url, index) => {
    const output = join(folder, String(index));
    mkdirSync(output);
    const input = ['-v', 'error', '-rtsp_transport', 'tcp', '-i', url];
    const segments = ['-c', 'copy', '-f', 'segment', '-segment_time', '60', join(output, '%03d.mp4')];
    return spawn('ffmpeg', [...input, ...segments], { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  const exits = processes.map((child) => once(child, 'exit'));
  return Promise.resolve({
    pids: processes.map((child) => child.pid ?? 0),
    async finish() {
      await Promise.all(exits);
      return endedChildrenCpuSeconds() - before;
    },
    close: () => Promise.resolve(),
  });
};

/** Writes a second at a time and flushes nothing. Its start counts, as that of the server. */
const startMediaMtx: Start = async (cameras, folder) => {
  const list = cameras.urls.map((source, index) => ({ name: `camera${index}`, source }));
  const server = await Rival.start('mediamtx', folder, { streams: list, isRecorded: true });
  return sideOf(server, cameras);
};

const contenders = [
  new Contender('ffmpeg', startFfmpeg),
  ...rivalsOnPath('mediamtx').map((name) => new Contender(name, startMediaMtx)),
  ...(isMoonfireOnPath() ? [new Contender('moonfire', recordWithMoonfire)] : []),
  new Contender('vidette', videtteWith({})),
];
await alternate(contenders, { rounds, streams, seconds });
compare('CPU per stream, % of a core', contenders, ({ cpu }) => cpu, ' (goal: at most 0.4 of ffmpeg)');
compare('the same while running', contenders, ({ runningCpu }) => runningCpu);
compare('CPU while running, s per GB', contenders, cpuPerGB, ' (goal: 1.11 of moonfire)');
compare(
  'memory per added stream, MB',
  contenders,
  ({ memorySlope }) => memorySlope,
  ' (goals: 1.0, and at most 0.12 of ffmpeg)',
);
