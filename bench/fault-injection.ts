/**
 * `npm run bench fault-injection [NAME...]`: runs three servers on one PostgreSQL, each in its own network
 * namespaces, with the streams of six RTSP cameras, and injects every kind of fault, one after the other.
 * Afterwards the archives show what is missing of a stream, and for how long two nodes recorded it
 * simultaneously; `vidette check` checks each archive after each fault. Exit code 1 when more is missing or
 * duplicated than stated below. About ten minutes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../e2e/api.ts';
import { besideMs, during, lackingMs, Nodes, type RecordedDownload } from '../e2e/nodes.ts';
import { startPostgres } from '../e2e/postgres.ts';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';
import { NodeNetworks } from './node-networks.ts';
import { SmallDisk } from './small-disk.ts';
import { underLoad } from './viewer-load.ts';

const ids = ['north', 'south', 'west'] as const;
const [north, south, west] = ids;
const streamCount = 6;
const patienceMs = 120_000;
/**
 * Starts before the fault, when its streams were recorded: footage from before the fault, in the open GOP,
 * counts as well.
 */
const leadMs = 3_000;
/** Lease, two checks, and the first key frame. */
const takenOverMs = 10_000;
/** Time until the recorder has tried the disk, and the leader has checked. */
const fullDiskMs = 15_000;
const sleepMs = 60_000;
const cutMs = 20_000;
/** For a source's second connection while a stream is handed over. */
const handedOverMs = 15_000;
/**
 * Nodes date the same frame by their own clocks, and a node that wakes finishes the GOP that it was writing.
 */
const clockMs = 1_000;

interface InjectedFault {
  readonly name: string;
  /** Missing of one stream, in total. */
  readonly lacksMs: number;
  /** Time that two nodes record one stream, in total. */
  readonly besideMs: number;
  /**
   * Resolves when the remaining nodes record every stream again, and the absent one has given up its streams.
   */
  readonly befall: () => Promise<void>;
  /** Brings back the absent node; streams return gradually, handed over one at a time. */
  readonly mend?: () => Promise<void>;
}

interface Outcome {
  readonly fault: InjectedFault;
  readonly startMs: number;
  readonly mendMs: number;
  readonly endMs: number;
}

const problems: string[] = [];
const networks = NodeNetworks.make(ids);
const disk = await SmallDisk.mount();
const postgres = await startPostgres(networks?.address('database'));
const cameraHost = networks?.address('cameras');
const camera = await startFakeCamera({
  clip: await encodeClip({ framesPerSecond: 10 }),
  ...(cameraHost !== undefined && { host: cameraHost }),
});
await postgres.create('fault');
const nodes = await Nodes.start(
  postgres.url('fault'),
  ids,
  Object.fromEntries(
    ids.map((id) => [
      id,
      {
        ...(networks && { through: networks.through(id) }),
        env: {
          ...(networks && {
            VIDETTE_HOST: networks.addressOf(id),
            VIDETTE_DATABASE: postgres.urlBy(5432, 'fault', networks.address('database')),
          }),
          ...(disk !== undefined &&
            id === west && { VIDETTE_ARCHIVE_FOLDER: disk.folder, VIDETTE_ARCHIVE_QUOTA_PERCENT: '99' }),
        },
      },
    ]),
  ),
);
const uids: string[] = [];
/** The node that was killed. */
let leader = '';

const faults: readonly (InjectedFault | undefined)[] = [
  {
    name: 'kill -9 of a node',
    lacksMs: takenOverMs,
    besideMs: 0,
    async befall() {
      await nodes.kill(north);
      await allRecorded([south, west]);
    },
    mend: () => restart(north),
  },
  {
    name: 'kill -9 of the leader',
    lacksMs: takenOverMs,
    besideMs: 0,
    async befall() {
      leader = await leaderOf();
      await nodes.kill(leader);
      await allRecorded(ids.filter((id) => id !== leader));
    },
    mend: () => restart(leader),
  },
  {
    name: 'kill -9 of the database, back after 20 s',
    lacksMs: 0,
    besideMs: 0,
    async befall() {
      const places = await nodes.places(north);
      await postgres.kill();
      await pause(cutMs);
      await until(
        () =>
          postgres.start().then(
            () => true,
            () => false,
          ),
        Boolean,
        patienceMs,
      );
      await allSaid('The database answers again');
      await allRecorded(ids);
      for (const [uid, node] of await nodes.places(south)) {
        if (places.get(uid) !== node) problems.push(`${uid} was moved while the database was away`);
      }
    },
  },
  networks && {
    name: 'a node cut from the database, not from cameras and peers',
    lacksMs: takenOverMs,
    besideMs: 0,
    async befall() {
      networks.cut(south, 'database');
      nodes.silent.add(south);
      await until(
        () => nodes.server(south).output,
        (output) => output.includes('another node reaches the database'),
        patienceMs,
      );
      await allRecorded([north, west]);
    },
    async mend() {
      networks.mend(south, 'database');
      await isBack(south);
    },
  },
  networks && {
    name: 'a node cut from the database and its peers for 20 s, not from cameras',
    lacksMs: 0,
    besideMs: cutMs,
    async befall() {
      networks.cut(west, 'database');
      networks.cut(west, 'peers');
      nodes.silent.add(west);
      await Promise.all([pause(cutMs), allRecorded([north, south])]);
      networks.mend(west, 'peers');
      networks.mend(west, 'database');
      await isBack(west);
    },
  },
  {
    name: 'SIGSTOP of a node for 60 s, then SIGCONT',
    lacksMs: takenOverMs,
    besideMs: 0,
    async befall() {
      nodes.pause(north);
      await Promise.all([pause(sleepMs), allRecorded([south, west])]);
      nodes.resume(north);
      await isBack(north);
    },
  },
  {
    name: 'drain under load',
    lacksMs: 0,
    besideMs: handedOverMs,
    async befall() {
      await underLoad(nodes, north, uids, async () => {
        await nodes.client(north).drainClusterNode({ params: { id: south } });
        await isDrained(south);
        await allRecorded([north, west]);
      });
    },
    mend: () => isReturned([south]),
  },
  {
    name: 'two simultaneous drains',
    lacksMs: 0,
    besideMs: handedOverMs,
    async befall() {
      await Promise.all([
        nodes.client(north).drainClusterNode({ params: { id: south } }),
        nodes.client(south).drainClusterNode({ params: { id: west } }),
      ]);
      await Promise.all([isDrained(south), isDrained(west)]);
      await allRecorded([north]);
    },
    mend: () => isReturned([south, west]),
  },
  disk === undefined
    ? undefined
    : {
        name: 'a full disk on one node',
        lacksMs: fullDiskMs,
        besideMs: handedOverMs,
        async befall() {
          await disk.fill();
          await allRecorded([north, south]);
        },
        mend: () => disk.empty(),
      },
  {
    name: 'rolling restart, each drained before',
    lacksMs: 0,
    besideMs: 3 * handedOverMs,
    async befall() {
      for (const id of ids) {
        await nodes.client(id).drainClusterNode({ params: { id } });
        await isDrained(id);
        await restart(id);
        await nodes.client(id).returnClusterNode({ params: { id } });
        await isEven();
      }
    },
  },
  {
    name: 'rolling restart, none drained',
    // Each stream may be on the node that is restarted next.
    lacksMs: ids.length * takenOverMs,
    besideMs: handedOverMs,
    async befall() {
      for (const id of ids) {
        await restart(id);
        await allRecorded(ids);
      }
    },
  },
];

try {
  const fromMs = Date.now();
  for (let index = 0; index < streamCount; index++) {
    const body = { name: `Camera ${index}`, streamSource: camera.url };
    uids.push((await nodes.client(north).addStream({ body })).uid);
  }
  const asked = process.argv.slice(2);
  const outcomes: Outcome[] = [];
  for (const fault of faults) {
    if (!fault || (asked.length > 0 && !asked.some((part) => fault.name.includes(part)))) continue;
    await isEven();
    await pause(leadMs);
    const startMs = Date.now();
    let mendMs = startMs;
    try {
      await fault.befall();
      mendMs = Date.now();
      await fault.mend?.();
      await isEven();
    } catch (error) {
      // The next fault is more conclusive when it starts from a healthy cluster.
      problems.push(`${fault.name}: ${String(error)}`);
      break;
    }
    const endMs = Date.now();
    for (const id of ids) await checked(id, fault.name);
    outcomes.push({ fault, startMs, mendMs, endMs });
    console.log(`${fault.name}: ${seconds(endMs - startMs)} s until full recovery`);
  }
  const { footage, twice } = await nodes.recorded(uids, fromMs);
  for (const id of ids) await checked(id, 'the end');
  problems.push(...twice.map((moment) => `recorded twice: ${moment}`));
  console.log('\n| fault | missing per stream, allowed | worst | two nodes, allowed | worst |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const { fault, startMs, mendMs, endMs } of outcomes) {
    const upTo = (ms: number) => uids.map((uid) => during(footage.get(uid) ?? [], startMs - leadMs, ms));
    const parts = upTo(endMs);
    const lacks = Math.max(...parts.map(lackingMs));
    const beside = Math.max(...upTo(mendMs).map(besideMs));
    if (lacks > fault.lacksMs) {
      const gaps = parts.map(gapsIn).filter((text) => text !== '');
      problems.push([`${fault.name}: ${lacks} ms missing`, ...gaps].join('\n  '));
    }
    if (beside > fault.besideMs + clockMs) problems.push(`${fault.name}: ${beside} ms recorded by two nodes`);
    const cells = [fault.lacksMs, lacks, fault.besideMs, beside].map((ms) => `${seconds(ms)} s`);
    console.log(`| ${[fault.name, ...cells].join(' | ')} |`);
  }
  problems.forEach((text) => console.log(`PROBLEM ${text}`));
  console.log(problems.length === 0 ? 'Nothing exceeded the stated limits.' : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await nodes.close();
  await camera.stop();
  await postgres.stop();
  networks?.remove();
  await disk?.remove();
}

/** Waits until each stream runs on one of these nodes, and all of them grow there. */
async function allRecorded(on: readonly string[]): Promise<void> {
  const places = await nodes.settled(streamCount, on);
  await Promise.all(
    [...places].map(async ([uid, node]) => {
      const recordedMs = async () =>
        (await nodes.client(node).getArchiveStats({ params: { uid } })).durationMs;
      const before = await recordedMs();
      await until(recordedMs, (now) => now > before, patienceMs);
    }),
  );
}

/** Waits until all nodes record the same number of streams, and no handover is pending. */
async function isEven(): Promise<void> {
  await until(
    () => nodes.places(north),
    (places) =>
      ids.every((id) => [...places.values()].filter((at) => at === id).length === streamCount / ids.length),
    patienceMs,
  );
  await allRecorded(ids);
}

async function isBack(id: string): Promise<void> {
  const [by = ''] = ids.filter((other) => other !== id);
  await until(
    () => nodes.client(by).getClusterNode({ params: { id } }),
    ({ available }) => available,
    patienceMs,
  );
  nodes.silent.delete(id);
}

async function isDrained(id: string): Promise<void> {
  await until(
    () => nodes.client(id).getClusterNode({ params: { id } }),
    ({ state }) => state === 'drained',
    patienceMs,
  );
}

/** Starts a node, after stopping it if it is running. */
async function restart(id: string): Promise<void> {
  if (nodes.runningIds.includes(id)) await nodes.stop(id);
  await nodes.start(id);
}

async function isReturned(drained: readonly string[]): Promise<void> {
  for (const id of drained) await nodes.client(id).returnClusterNode({ params: { id } });
}

async function allSaid(text: string): Promise<void> {
  await until(() => ids.every((id) => nodes.server(id).output.includes(text)), Boolean, patienceMs);
}

async function leaderOf(): Promise<string> {
  const client = postgres.client('fault');
  await client.connect();
  try {
    const { rows } = await client.query<{ leader_id: string }>('select leader_id from cluster');
    return rows[0]?.leader_id ?? north;
  } finally {
    await client.end();
  }
}

async function checked(id: string, after: string): Promise<void> {
  const { code, output } = await nodes.command(id, 'check');
  if (code !== 0) problems.push(`vidette check on ${id} after ${after}: ${output}`);
}

/** The gaps as text: the nodes before and after each, and its length. */
function gapsIn(parts: readonly RecordedDownload[]): string {
  const words: string[] = [];
  let reach = parts[0];
  for (const part of parts) {
    if (reach && part.startMs > reach.endMs) {
      const at = new Date(reach.endMs).toISOString();
      words.push(`${reach.node} to ${part.node} at ${at}: ${part.startMs - reach.endMs} ms`);
    }
    if (!reach || part.endMs > reach.endMs) reach = part;
  }
  return words.join('; ');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
