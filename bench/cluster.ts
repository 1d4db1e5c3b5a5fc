// `npm run bench cluster [ROUNDS]`: two servers on one PostgreSQL and cameras that both can reach. Measures how
// long no node records the streams of a killed node, and how much is missing of the streams of a drained node,
// from the content of the archives afterwards, not from the reports of a node. Median and worst of 20 rounds
// each.
import { until } from '../e2e/api.ts';
import { during, longestGapMs, Nodes } from '../e2e/nodes.ts';
import { startPostgres } from '../e2e/postgres.ts';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';

const rounds = Number(process.argv[2] ?? 20);
const streamCount = 4;
const ids = ['north', 'south'] as const;

/** The streams of the killed or drained node, and the start and end of the round. */
interface Round {
  readonly uids: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

/** Maximum missing of a stream of a killed node, ms; nothing may be missing of a drained node's. */
const goalMs = 10_000;
/** Starts when both were recording: footage from before the kill, in the open GOP, counts as well. */
const leadMs = 3_000;

const postgres = await startPostgres();
const camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 10 }) });
const nodes = await Nodes.start(await postgres.create('bench'), ids);
const kills: Round[] = [];
const drains: Round[] = [];
try {
  const uids: string[] = [];
  const fromMs = Date.now();
  for (let index = 0; index < streamCount; index++) {
    const body = { name: `Camera ${index}`, streamSource: camera.url };
    uids.push((await nodes.client('north').addStream({ body })).uid);
  }
  for (let round = 0; round < rounds; round++) {
    const [victim, other] = round % 2 === 0 ? ids : ([ids[1], ids[0]] as const);
    drains.push(await inBoth(victim, uids, other, () => drain(victim, other)));
    await nodes.client(other).returnClusterNode({ params: { id: victim } });
    kills.push(await inBoth(victim, uids, other, () => nodes.kill(victim)));
    await nodes.start(victim);
    console.log(`round ${round + 1} of ${rounds}`);
  }
  const { footage } = await nodes.recorded(uids, fromMs);
  for (const [name, done] of [
    ['drain', drains],
    ['kill -9', kills],
  ] as const) {
    const lacking = done.map((of) =>
      Math.max(
        ...of.uids.map((uid) => longestGapMs(during(footage.get(uid) ?? [], of.startMs - leadMs, of.endMs))),
      ),
    );
    lacking.sort((a, b) => a - b);
    const [median, worst] = [lacking[Math.floor(lacking.length / 2)], lacking.at(-1)];
    console.log(
      `${name}: missing per stream, ms: median ${median}, worst ${worst} (${lacking.length} rounds)`,
    );
    if ((worst ?? 0) > (done === drains ? 0 : goalMs)) process.exitCode = 1;
  }
} finally {
  await nodes.close();
  await camera.stop();
  await postgres.stop();
}

/** Waits until both record something, kills or drains one, and waits until the other records everything. */
async function inBoth(
  victim: string,
  all: readonly string[],
  other: string,
  run: () => Promise<void>,
): Promise<Round> {
  const places = await until(
    () => nodes.places(other),
    (seen) =>
      [victim, other].every((id) => [...seen.values()].filter((at) => at === id).length === all.length / 2),
    120_000,
  );
  const uids = all.filter((uid) => places.get(uid) === victim);
  await Promise.all(all.map((uid) => grows(places.get(uid) ?? '', uid)));
  const startMs = Date.now();
  await run();
  await nodes.settled(all.length, [other]);
  await Promise.all(all.map((uid) => grows(other, uid)));
  return { uids, startMs, endMs: Date.now() };
}

async function grows(node: string, uid: string): Promise<void> {
  const recordedMs = async () => (await nodes.client(node).getArchiveStats({ params: { uid } })).durationMs;
  const before = await recordedMs();
  await until(recordedMs, (now) => now > before, 60_000);
}

async function drain(victim: string, other: string): Promise<void> {
  await nodes.client(other).drainClusterNode({ params: { id: victim } });
}
