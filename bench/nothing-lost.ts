/** What the benches that take a recording server's power or processes away have in common. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@vidette/contract/client';
import { until } from '../e2e/api.ts';
import { check } from '../server/src/cli/check.ts';

const run = promisify(execFile);
const recordingMaxMs = 60_000;

const problems: string[] = [];

/** Prints a problem, and counts it for `endWithVerdict`. */
export function problem(text: string): void {
  problems.push(text);
  console.log(`  PROBLEM ${text}`);
}

/** Prints whether there were problems, `good` if not; the exit code is 1 if there were. */
export function endWithVerdict(good = 'Nothing that was reported as recorded was lost.'): void {
  console.log(problems.length === 0 ? good : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Adds a recorded stream for each source; resolves to their uids. */
export async function addRecordedStreams(client: Client, sources: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const [index, streamSource] of sources.entries()) {
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

/** The end of each stream's footage, ms since the epoch, as the page is told; streams without footage are left out. */
export async function recordedEnds(client: Client, uids: readonly string[]): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const uid of uids) {
    const { endTime } = await client.getArchiveStats({ params: { uid } });
    if (typeof endTime === 'number') ends.set(uid, endTime);
  }
  return ends;
}

/**
 * Waits until all streams have recorded something since `sinceMs`, ms since the epoch.
 * @throws Error that tells the story of each stream that does not
 */
export async function awaitRecording(
  client: Client,
  uids: readonly string[],
  sinceMs: number,
): Promise<void> {
  await until(
    async () => {
      const ends = await recordedEnds(client, uids);
      const late = uids.filter((uid) => (ends.get(uid) ?? 0) <= sinceMs + 2_500);
      return Promise.all(late.map((uid) => storyOf(client, uid).catch(String)));
    },
    (late) => late.length === 0,
    recordingMaxMs,
  );
}

async function storyOf(client: Client, uid: string): Promise<unknown> {
  const { name, status, failureReason } = await client.getStream({ params: { uid } });
  const { items } = await client.getStreamLogs({ params: { uid } });
  return { name, status, failureReason, log: items.slice(-5).map((line) => line.message) };
}

/** Has ffprobe read each recorded file that is not in `known`, and adds it there; resolves to their number. */
export async function probeFiles(dataDir: string, known = new Set<string>()): Promise<number> {
  const root = join(dataDir, 'archive');
  const entries = await readdir(root, { recursive: true });
  const files = entries.filter((name) => name.endsWith('.mp4') && !known.has(name)).sort();
  const args = ['-v', 'error', '-count_packets', '-show_entries', 'stream=nb_read_packets'];
  for (const name of files) {
    known.add(name);
    const { stderr } = await run('ffprobe', [...args, join(root, name)]).catch((error: unknown) => ({
      stderr: String(error),
    }));
    if (stderr !== '') problem(`${name}: ${stderr.trim()}`);
  }
  return files.length;
}

/** Each finding of `vidette check` is a problem. */
export async function checkArchive(dataDir: string): Promise<void> {
  const findings: string[] = [];
  if ((await check({ dataDir, out: (line) => findings.push(line) })) !== 0) findings.forEach(problem);
}
