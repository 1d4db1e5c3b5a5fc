/**
 * What the server adds to the delay of live video: over a WebSocket, over LL-HLS, and from the request for a stream that runs on
 * demand to its first key frame. With engine processes and with one process for everything; beside `ffmpeg -c copy`, which reads the camera itself, and
 * beside MediaMTX (RTSP) and go2rtc (its WebSocket) where they are on the path. All in turn, in each round.
 *
 *   npm run bench delay [SECONDS=10] [STARTS=10] [ROUNDS=5] [ENGINES=1]
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import type { ProbeOrder } from './delay-probe.ts';
import { Rival, rivalsOnPath, type RivalName } from './rivals.ts';
import { percentile, spreadOf } from './usage.ts';

const [seconds = 10, starts = 10, rounds = 5, engines = 1] = process.argv.slice(2).map(Number);

/** ms. */
interface Delays {
  readonly live: number[];
  readonly hls: number[];
  readonly clicks: number[];
}

/** Is put between the cameras and their viewers, and tells `finish` how its streams are watched. */
type Contender = (cameras: readonly string[], finish: (by: ProbeOrder) => Promise<Delays>) => Promise<Delays>;

const vidette =
  (processes: number): Contender =>
  async (cameras, finish) => {
    const server = await startServer({ env: { VIDETTE_ENGINE_PROCESSES: String(processes) } });
    try {
      const { client, cookie } = await administratorOf(server);
      const uids: string[] = [];
      for (const streamSource of cameras) {
        const archive = { isEnable: false, depthHours: -1, farAfterHours: -1 };
        const body = { name: 'Probe', streamSource, archive, live: { onDemand: true } };
        uids.push((await client.addStream({ body })).uid);
      }
      return await finish({ by: 'vidette', seconds, url: server.url, cookie, uids });
    } finally {
      await server.stop();
    }
  };

const rival =
  (name: RivalName): Contender =>
  async (cameras, finish) => {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-delay-'));
    const streams = cameras.map((source, index) => ({ name: `camera${index}`, source }));
    const server = await Rival.start(name, folder, { streams, isOnDemand: true });
    try {
      const by = name === 'mediamtx' ? 'rtsp' : 'mse';
      const urls = streams.map((stream) =>
        by === 'rtsp' ? server.rtspUrl(stream.name) : server.socketUrl(stream.name),
      );
      return await finish({ by, seconds, urls });
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  };

async function measure(contender: Contender): Promise<Delays> {
  const script = fileURLToPath(new URL('delay-probe.ts', import.meta.url));
  const child = spawn(process.execPath, [script, String(starts)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value ?? '');
  return contender((await next()).split(','), async (order) => {
    child.stdin.end(`${JSON.stringify(order)}\n`);
    return JSON.parse(await next()) as Delays;
  });
}

const contenders: Record<string, Contender> = {
  'one process': vidette(0),
  [`${engines} engines`]: vidette(engines),
  'ffmpeg -c copy': (_, finish) => finish({ by: 'ffmpeg', seconds }),
  ...Object.fromEntries(rivalsOnPath('mediamtx', 'go2rtc').map((name) => [name, rival(name)])),
};
const found = new Map<string, Delays[]>(Object.keys(contenders).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  const turn = Object.entries(contenders);
  for (const [name, contender] of round % 2 ? turn.toReversed() : turn)
    found.get(name)?.push(await measure(contender));
}
console.log(
  `${rounds} rounds in turn, load average ${(loadavg()[0] ?? 0).toFixed(1)}. ms; in brackets the medians of the rounds`,
);
for (const [name, all] of found) {
  const figure = (kind: keyof Delays, worst: number) => {
    const values = all.flatMap((delays) => delays[kind]);
    if (values.length === 0) return '-';
    const medians = spreadOf(all.map((delays) => percentile(delays[kind], 50)));
    return `${percentile(values, 50).toFixed(1)}, p${worst} ${percentile(values, worst).toFixed(1)} (${medians})`;
  };
  console.log(
    `${name.padEnd(15)} live ${figure('live', 99)}; LL-HLS ${figure('hls', 99)}; request to key frame ${figure('clicks', 100)}`,
  );
}
console.log('Goals: live 1, p99 10; LL-HLS 110; request to key frame 10');
