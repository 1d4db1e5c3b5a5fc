/**
 * CPU and memory of receiving and recording RTSP streams of 4 Mbit/s (H.264 1080p25, AAC), compared with one
 * `ffmpeg -c copy` process per stream, in the same run and in alternating order. See README.md for how to read
 * it.
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
import { alternate, compare, Contender, videtteWith, type Start } from './recording-load.ts';
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

const pair = [new Contender('ffmpeg', startFfmpeg), new Contender('vidette', videtteWith({}))] as const;
await alternate(pair, { rounds, streams, seconds });
compare('CPU per stream, % of a core', pair, ({ cpu }) => cpu, ' (goal: at most 0.4)');
compare('the same while running', pair, ({ runningCpu }) => runningCpu);
compare('memory per added stream, MB', pair, ({ memorySlope }) => memorySlope, ' (goal: at most 0.12)');
