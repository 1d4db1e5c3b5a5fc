/**
 * `npm run bench kill9 [COUNT]`: kills the recording server COUNT times (50) at random times with SIGKILL while
 * eight streams are recorded, half generated, half from an RTSP server. After each start: every committed
 * fragment exists, at most the unfinished GOP is missing, `vidette check` finds nothing, ffprobe reads every
 * file, and the gap on the timeline is as long as the outage. Exit code 1 when any of this fails.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from '../e2e/api.ts';
import { gstAudio, gstVideo, startGstServer } from '../e2e/rtsp/gst-server.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import {
  addRecordedStreams,
  awaitRecording,
  checkArchive,
  endWithVerdict,
  probeFiles,
  problem,
  recordedEnds,
} from './nothing-lost.ts';

const streamCount = 8;
/** Longest GOP of these sources. */
const gopMs = 2_000;
/** Time from the last frame of a GOP at the camera to its committed row, on a machine under this load. */
const wayMs = 2_000;

interface Cycle {
  readonly killedAtMs: number;
  readonly spawnedAtMs: number;
  /** By stream: the end of the footage known to be on the disk right before the kill. */
  readonly committed: ReadonlyMap<string, number>;
}

const count = Number(process.argv[2] ?? 50);
let worstLossMs = 0;

/** Ends of recorded spans and the gaps between them, ms since the epoch. */
async function rangesOf(client: Client, uid: string, fromMs: number) {
  const { ranges } = await client.getArchiveRanges({
    params: { uid },
    query: { start_time: fromMs, end_time: fromMs + 3 * 3_600_000 },
  });
  return ranges;
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
  const uids = await addRecordedStreams(first, urls);
  let client = first;
  const probed = new Set<string>();
  await awaitRecording(client, uids, Date.now());
  for (let turn = 1; turn <= count; turn++) {
    await pause(Math.random() * 3_000);
    const committed = await recordedEnds(client, uids);
    const killedAtMs = Date.now();
    await server.kill();
    // The files as the kill left them, before the next start repairs anything.
    const spawnedAtMs = Date.now();
    server = await startServer({ dataDir });
    client = clientOf(server, cookie);
    await awaitRecording(client, uids, spawnedAtMs);
    const cycle = { killedAtMs, spawnedAtMs, committed };
    for (const uid of uids) await judgeGap(client, uid, cycle);
    await checkArchive(dataDir);
    const files = await probeFiles(dataDir, probed);
    const outageS = ((Date.now() - killedAtMs) / 1000).toFixed(1);
    console.log(`${turn}/${count}: ${files} files probed, checked ${outageS} s after the kill`);
  }
  await server.stop();
  server = undefined;
  probed.clear();
  const files = await probeFiles(dataDir, probed);
  await checkArchive(dataDir);
  console.log(`${count} kills, ${files} files, ${worstLossMs} ms missing at most before a kill`);
  endWithVerdict();
} finally {
  await server?.kill();
  await camera.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
