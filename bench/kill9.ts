/**
 * `npm run bench kill9 [COUNT]`: kills the recording server COUNT times (50) at random times with SIGKILL while
 * eight streams are recorded, half generated, half from an RTSP server. After each start: every committed
 * fragment exists, at most the unfinished GOP is missing, `vidette check` finds nothing, ffprobe reads every
 * file, and the gap on the timeline is as long as the outage. Exit code 1 when any of this fails.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from '../e2e/api.ts';
import { gstAudio, gstVideo, startGstServer } from '../e2e/rtsp/gst-server.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { check } from '../server/src/cli/check.ts';

const run = promisify(execFile);

const streamCount = 8;
/** Longest GOP of these sources. */
const gopMs = 2_000;
/** Time from the last frame of a GOP at the camera to its committed row, on a machine under this load. */
const wayMs = 2_000;
const outageMaxMs = 60_000;

interface Cycle {
  readonly killedAtMs: number;
  readonly spawnedAtMs: number;
  /** By stream: the end of the footage known to be on the disk right before the kill. */
  readonly committed: ReadonlyMap<string, number>;
}

const count = Number(process.argv[2] ?? 50);
const problems: string[] = [];
let worstLossMs = 0;

function problem(text: string): void {
  problems.push(text);
  console.log(`  PROBLEM ${text}`);
}

/** Ends of recorded spans and the gaps between them, ms since the epoch. */
async function rangesOf(client: Client, uid: string, fromMs: number) {
  const { ranges } = await client.getArchiveRanges({
    params: { uid },
    query: { start_time: fromMs, end_time: fromMs + 3 * 3_600_000 },
  });
  return ranges;
}

/** The end of the newest footage, according to the calls that a page makes; undefined when there is none. */
async function recordedUntil(client: Client, uid: string): Promise<number | undefined> {
  const { endTime } = await client.getArchiveStats({ params: { uid } });
  return endTime ?? undefined;
}

async function endsOf(client: Client, uids: readonly string[]): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const uid of uids) {
    const end = await recordedUntil(client, uid);
    if (end !== undefined) ends.set(uid, end);
  }
  return ends;
}

/** Waits until all streams have committed something since `sinceMs`. */
async function awaitRecording(client: Client, uids: readonly string[], sinceMs: number): Promise<void> {
  await until(
    async () => {
      const ends = await endsOf(client, uids);
      const late = uids.filter((uid) => (ends.get(uid) ?? 0) <= sinceMs + 2_500);
      return Promise.all(late.map((uid) => storyOf(client, uid).catch(String)));
    },
    (late) => late.length === 0,
    outageMaxMs,
  );
}

/** The status of a stream that doesn't record. */
async function storyOf(client: Client, uid: string): Promise<unknown> {
  const { name, status, failureReason } = await client.getStream({ params: { uid } });
  const { items } = await client.getStreamLogs({ params: { uid } });
  return { name, status, failureReason, log: items.slice(-5).map((line) => line.message) };
}

/** The gap that a cycle left in one stream. */
async function judgeGap(client: Client, uid: string, cycle: Cycle): Promise<void> {
  const fromMs = cycle.killedAtMs - 60_000;
  const ranges = await rangesOf(client, uid, fromMs);
  const at = ranges.findIndex(
    ({ date, status }) => status === 'gap' && date >= cycle.killedAtMs - gopMs - wayMs,
  );
  const start = ranges[at]?.date;
  const end = ranges[at + 1]?.date;
  if (start === undefined || end === undefined) return problem(`${uid}: no gap at the kill`);
  const lossMs = cycle.killedAtMs - start;
  worstLossMs = Math.max(worstLossMs, lossMs);
  if (start < (cycle.committed.get(uid) ?? 0)) problem(`${uid}: committed footage is missing`);
  if (lossMs < -100) problem(`${uid}: footage from ${-lossMs} ms after the kill`);
  if (end < cycle.spawnedAtMs) problem(`${uid}: the gap ends before the server was started`);
  if (ranges[at + 1]?.status !== 'fragment') problem(`${uid}: nothing was recorded after the gap`);
  // The last range is the present: a gap until the engine has reported that it records, up to a second later.
  const later = ranges.slice(at + 1, -1).filter(({ status }) => status === 'gap');
  if (later.length > 0) problem(`${uid}: more than one gap`);
}

/** Files with new data since the last check. */
async function probeFiles(dataDir: string, known: Set<string>): Promise<number> {
  const root = join(dataDir, 'archive');
  const entries = await readdir(root, { recursive: true });
  const files = entries.filter((name) => name.endsWith('.mp4') && !known.has(name)).sort();
  for (const name of files) {
    known.add(name);
    const args = [
      '-v',
      'error',
      '-count_packets',
      '-show_entries',
      'stream=nb_read_packets',
      join(root, name),
    ];
    try {
      const { stderr } = await run('ffprobe', args);
      if (stderr !== '') problem(`${name}: ${stderr.trim()}`);
    } catch (error) {
      problem(`${name}: ${String(error)}`);
    }
  }
  return files.length;
}

async function addStreams(client: Client, urls: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const [index, streamSource] of urls.entries()) {
    const body = {
      name: `Stream ${index + 1}`,
      streamSource,
      archive: { isEnable: true },
      live: { onDemand: false },
    };
    uids.push((await client.addStream({ body })).uid);
  }
  return uids;
}

const dataDir = await mkdtemp(join(tmpdir(), 'vidette-kill9-'));
// One camera per stream: GStreamer's server sometimes fails an assertion when several clients of a shared
// stream disconnect simultaneously and reconnect.
const launch = `( ${gstVideo('h264')} ${gstAudio('aac')} )`;
const paths = Array.from({ length: streamCount / 2 }, (_, index) => `/cam${index}`);
const camera = await startGstServer({ mounts: Object.fromEntries(paths.map((path) => [path, launch])) });
let server: TestServer | undefined;
try {
  server = await startServer({ dataDir });
  const { client: first, cookie } = await administratorOf(server);
  const urls = Array.from({ length: streamCount }, (_, index) =>
    index % 2 === 0 ? 'demo:' : camera.url(`/cam${index >> 1}`),
  );
  const uids = await addStreams(first, urls);
  let client = first;
  const probed = new Set<string>();
  await awaitRecording(client, uids, Date.now());
  for (let turn = 1; turn <= count; turn++) {
    await pause(Math.random() * 3_000);
    const committed = await endsOf(client, uids);
    const killedAtMs = Date.now();
    await server.kill();
    // The files as the kill left them, before the next start repairs anything.
    const spawnedAtMs = Date.now();
    server = await startServer({ dataDir });
    client = clientOf(server, cookie);
    await awaitRecording(client, uids, spawnedAtMs);
    const cycle = { killedAtMs, spawnedAtMs, committed };
    for (const uid of uids) await judgeGap(client, uid, cycle);
    const findings: string[] = [];
    if ((await check({ dataDir, out: (line) => findings.push(line) })) !== 0) findings.forEach(problem);
    const files = await probeFiles(dataDir, probed);
    const outageS = ((Date.now() - killedAtMs) / 1000).toFixed(1);
    console.log(`${turn}/${count}: ${files} files probed, checked ${outageS} s after the kill`);
  }
  await server.stop();
  server = undefined;
  probed.clear();
  const files = await probeFiles(dataDir, probed);
  const findings: string[] = [];
  if ((await check({ dataDir, out: (line) => findings.push(line) })) !== 0) findings.forEach(problem);
  console.log(`${count} kills, ${files} files, ${worstLossMs} ms missing at most before a kill`);
  console.log(problems.length === 0 ? 'Nothing was lost.' : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await server?.kill();
  await camera.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
