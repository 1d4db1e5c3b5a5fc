/** Servers that record the same load at the same time, each its own cameras. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import type { Side, Start } from './recording-load.ts';
import { cpuSeconds, memoryMB, wakeUps } from './usage.ts';

const settleMs = 30_000;
/** For all to start, and to settle. */
const spareSeconds = 90;

/** Of all processes of a server. */
export interface Figures {
  /** CPU seconds per GB received. */
  readonly perGB: number;
  /** Per second. */
  readonly wakeUps: number;
  /** MB. */
  readonly memory: number;
}

export interface Load {
  readonly streams: number;
  readonly seconds: number;
  readonly kbitPerSecond: number;
  readonly hasAudio: boolean;
}

interface Running {
  readonly side: Side;
  stop(): Promise<void>;
}

/** Starts them one after the other and measures all when they have settled; the figures are in the same order. */
export async function measureTogether(starts: readonly Start[], load: Load): Promise<Figures[]> {
  const { streams, seconds, kbitPerSecond } = load;
  const running: Running[] = [];
  try {
    for (const start of starts) running.push(await run(start, load));
    await pause(settleMs);
    const look = () =>
      running.map(({ side: { pids } }) => ({ cpu: cpuSeconds(...pids), wakes: wakeUps(...pids) }));
    const before = look();
    await pause(seconds * 1000);
    const after = look();
    const gigabytes = (streams * seconds * kbitPerSecond * 125) / 1e9;
    return running.map(({ side: { pids } }, index) => ({
      perGB: ((after[index]?.cpu ?? NaN) - (before[index]?.cpu ?? NaN)) / gigabytes,
      wakeUps: ((after[index]?.wakes ?? NaN) - (before[index]?.wakes ?? NaN)) / seconds,
      memory: memoryMB(...pids),
    }));
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

async function run(start: Start, { streams, seconds, kbitPerSecond, hasAudio }: Load): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), 'vidette-bench-'));
  const frames = (seconds + spareSeconds) * framesPerSecond;
  const cameras = await LoadCameras.start(streams, kbitPerSecond, frames, { hasAudio });
  const end = () => {
    cameras.stop();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const side = await start(cameras, data);
    return { side, stop: () => side.close().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
}
