/**
 * The cost of watching live video on a node that does not run the stream, compared with watching it on the node
 * that does: CPU of both servers, and the added delay.
 *
 *   npm run bench relay [VIEWERS=20] [SECONDS=10]
 *
 * Two servers on one PostgreSQL, one RTSP camera of 25 frames a second in 1080p; the viewers are WebSockets of
 * this process, all of the same stream. "Idle" is the same without viewers: the stream is received and
 * recorded. All share one machine and its clock; the connection between the nodes has no TLS.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { until } from '../e2e/api.ts';
import { LiveViewer } from '../e2e/live-viewer.ts';
import { Nodes } from '../e2e/nodes.ts';
import { startPostgres } from '../e2e/postgres.ts';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';
import { cpuSeconds, median } from './usage.ts';

const [viewers = 20, seconds = 10] = process.argv.slice(2).map(Number);

const postgres = await startPostgres();
const camera = await startFakeCamera({
  clip: await encodeClip({ framesPerSecond: 25, width: 1920, height: 1080 }),
});
const nodes = await Nodes.start(await postgres.create('bench'), ['north', 'south']);
const client = nodes.client('north');
await client.drainClusterNode({ params: { id: 'north' } });
const { uid } = await client.addStream({ body: { name: 'Gate', streamSource: camera.url } });
await until(
  () => client.getStream({ params: { uid } }),
  ({ status, node }) => status === 'running' && node.id === 'south',
);

const idle = await measure('idle', undefined, 0);
for (const [title, on] of [
  ['watched where it runs', 'south'],
  ['watched through the other node', 'north'],
] as const) {
  for (const count of [1, viewers]) {
    const cost = await measure(`${title}, ${count} viewers`, on, count);
    process.stdout.write(
      `  more than idle for each viewer: ${((cost - idle) / count).toFixed(2)} % of a core\n`,
    );
  }
}
process.stdout.write(`a frame arrives ${(await laterMs()).toFixed(1)} ms later through the other node\n`);
await nodes.close();
await camera.stop();
await postgres.stop();

/** Percent of a core that both servers used together. */
async function measure(title: string, on: 'north' | 'south' | undefined, count: number): Promise<number> {
  const watching = on === undefined ? [] : await watch(on, count);
  await pause(2_000);
  const pids = ['north', 'south'].map((id) => nodes.server(id).pid);
  const before = pids.map((pid) => cpuSeconds(pid));
  const fragments = watching.map((viewer) => viewer.media.at(-1)?.fragments.length ?? 0);
  await pause(seconds * 1_000);
  const shares = pids.map((pid, index) => ((cpuSeconds(pid) - (before[index] ?? 0)) / seconds) * 100);
  const received = watching.map(
    (viewer, index) => (viewer.media.at(-1)?.fragments.length ?? 0) - (fragments[index] ?? 0),
  );
  const [north = 0, south = 0] = shares;
  const each = count > 0 ? `, ${(median(received) / seconds).toFixed(1)} frames a second for each` : '';
  process.stdout.write(
    `${title}: north ${north.toFixed(1)} %, south ${south.toFixed(1)} % of a core${each}\n`,
  );
  for (const viewer of watching) viewer.close();
  return north + south;
}

async function watch(on: 'north' | 'south', count: number): Promise<LiveViewer[]> {
  const watching = await Promise.all(
    Array.from({ length: count }, () => LiveViewer.watch(nodes.server(on), nodes.cookie, uid)),
  );
  await Promise.all(watching.map((viewer) => viewer.receive(5)));
  return watching;
}

/**
 * How much later a frame arrives through a peer than on the node that runs the stream: median over the same
 * frames, ms.
 */
async function laterMs(): Promise<number> {
  const [[here], [there]] = await Promise.all([watch('south', 1), watch('north', 1)]);
  const arrived: Map<number, number>[] = [new Map<number, number>(), new Map<number, number>()];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    await pause(1);
    for (const [index, viewer] of [here, there].entries()) {
      const newest = viewer?.media.at(-1)?.fragments.at(-1);
      const run = newest && parseFragmentHeader(newest.subarray(0, newest.readUInt32BE(0))).tracks[0];
      if (run && !arrived[index]?.has(run.baseDts)) arrived[index]?.set(run.baseDts, performance.now());
    }
  }
  here?.close();
  there?.close();
  const [first = new Map<number, number>(), second = new Map<number, number>()] = arrived;
  return median([...second].flatMap(([dts, atMs]) => (first.has(dts) ? [atMs - (first.get(dts) ?? 0)] : [])));
}
