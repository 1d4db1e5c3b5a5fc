/**
 * `npm run bench catalog-writers [STREAMS=200] [SECONDS=20] [ROUNDS=3]`: how long the recorders of several processes wait
 * for their rows, when all write to one catalog and when each process has its own. Each of STREAMS streams commits the row of
 * one fragment a second, as a recorder does, grouped by process as the product groups them. One, two and four
 * processes; the two ways alternate in the same run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { CatalogWriter, openCatalogForWriting } from '../server/src/archive/catalog/catalog.ts';
import { defaultRecordingLimits } from '../server/src/archive/record/record.ts';
import { catalogTicks, type NewFragment } from '../server/src/archive/segments/segments.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { median, percentile } from './usage.ts';

const script = fileURLToPath(import.meta.url);
const periodMs = 1_000;

/** What one process measured. */
interface Outcome {
  readonly waitsMs: readonly number[];
  readonly cpuSeconds: number;
}

/** One process: its streams commit a row each period, spread over it. */
async function write(path: string, streams: number, seconds: number, name: string): Promise<void> {
  const catalog = new CatalogWriter(path, systemClock, defaultRecordingLimits.groupMs);
  const waitsMs: number[] = [];
  const startTicks = catalogTicks(Date.UTC(2026, 0, 1));
  const periodTicks = catalogTicks(periodMs) - catalogTicks(0);
  const fragment: NewFragment = {
    durationTicks: periodTicks,
    bytes: 512_345,
    startsWithKey: true,
    checksum: 1,
  };
  const run = async (stream: number) => {
    const uid = `${name}-${stream}`;
    await pause((periodMs * stream) / streams);
    await catalog.commit([
      { type: 'folder', uid, day: '2026/01/01' },
      { type: 'segment', uid, startTicks, init: new Uint8Array(1_200), fragments: [fragment] },
    ]);
    for (let second = 0; second < seconds; second++) {
      const sentMs = performance.now();
      await catalog.commit([
        { type: 'fragments', uid, segmentStartTicks: startTicks, fragments: [fragment] },
      ]);
      const waitMs = performance.now() - sentMs;
      waitsMs.push(waitMs);
      await pause(Math.max(0, periodMs - waitMs));
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, stream) => run(stream)));
  await catalog.close();
  const { user, system } = process.cpuUsage();
  const outcome: Outcome = { waitsMs, cpuSeconds: (user + system) / 1e6 };
  process.stdout.write(JSON.stringify(outcome));
}

/** All processes of one way. */
async function measure(
  processes: number,
  isShared: boolean,
  streams: number,
  seconds: number,
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-'));
  const paths = Array.from({ length: processes }, (_, index) =>
    join(folder, isShared ? 'catalog.sqlite' : `catalog-${index}.sqlite`),
  );
  for (const path of new Set(paths)) openCatalogForWriting(path).close();
  try {
    const outcomes = await Promise.all(
      paths.map(async (path, index): Promise<Outcome> => {
        const args = [
          script,
          'write',
          path,
          String(Math.ceil(streams / processes)),
          String(seconds),
          `${index}`,
        ];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
        await once(child, 'close');
        return JSON.parse(text) as Outcome;
      }),
    );
    return {
      waitsMs: outcomes.flatMap(({ waitsMs }) => waitsMs),
      cpuSeconds: outcomes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(streams: number, seconds: number, rounds: number): Promise<void> {
  for (const processes of [1, 2, 4]) {
    const ways = processes === 1 ? [true] : [true, false];
    const found = new Map<boolean, Outcome[]>(ways.map((way) => [way, []]));
    for (let round = 0; round < rounds; round++) {
      for (const isShared of round % 2 ? ways.toReversed() : ways)
        found.get(isShared)?.push(await measure(processes, isShared, streams, seconds));
    }
    for (const [isShared, outcomes] of found) {
      const at = (percent: number) =>
        median(outcomes.map(({ waitsMs }) => percentile(waitsMs, percent))).toFixed(0);
      const cpu = median(outcomes.map(({ cpuSeconds }) => cpuSeconds));
      console.log(
        `${processes} processes, ${isShared ? 'one catalog' : 'a catalog each'}: a row waits ${at(50)} ms at the median, ` +
          `${at(99)} at p99, ${at(100)} at worst; ${((100 * cpu) / seconds).toFixed(1)} % of a core`,
      );
    }
  }
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'write') {
  const [path = '', streams = '', seconds = '', name = ''] = rest;
  await write(path, Number(streams), Number(seconds), name);
} else {
  const [streams = 200, seconds = 20, rounds = 3] = process.argv.slice(2).map(Number);
  await compare(streams, seconds, rounds);
}
