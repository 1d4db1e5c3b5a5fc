import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client } from '@vidette/contract/client';
import { administratorOf } from './api.ts';
import { runProgram } from './loop-disk.ts';
import { recordPast } from './past-footage.ts';
import { startServer } from './server.ts';

const mainProgram = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

/** The footage files in a folder, oldest first. */
export async function footageIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.mp4')).sort();
}

/** Segments of ten seconds each, ten minutes apart, the newest an hour ago. */
function spans(count: number) {
  const endMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
  return Array.from({ length: count }, (_, index) => {
    const startMs = endMs - (count - index) * 600_000;
    return { startMs, endMs: startMs + 10_000 };
  });
}

/** The warnings that a client receives, each as code and subject. */
export async function warningsOf(client: Client): Promise<string[]> {
  return (await client.getHealth()).warnings.map(({ code, subject }) =>
    subject === null ? code : `${code} ${subject}`,
  );
}

/**
 * A data folder, optionally with its archive elsewhere, with a stream that has past footage and is not recorded
 * further by default.
 */
export async function prepared(
  t: TestContext,
  options: {
    dataDir?: string;
    folder?: string;
    source?: string;
    count: number;
    isRecorded?: boolean;
    depthHours?: number;
  },
) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'vidette-disk-')));
  if (options.dataDir === undefined)
    t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const env: Record<string, string> =
    options.folder === undefined ? {} : { VIDETTE_ARCHIVE_FOLDER: options.folder };
  const server = await startServer({ dataDir, env });
  const { client, cookie } = await administratorOf(server);
  const { uid } = await client.addStream({
    body: {
      name: 'Gate 2',
      streamSource: options.source ?? 'demo:?fps=5',
      archive: { isEnable: options.isRecorded ?? false, depthHours: options.depthHours ?? -1 },
    },
  });
  await server.stop();
  const places = options.folder === undefined ? {} : { dir: options.folder };
  await recordPast(dataDir, uid, spans(options.count), {}, places);
  return { dataDir, env, cookie, uid, folder: join(options.folder ?? join(dataDir, 'archive'), uid) };
}

/** The query of an hour that ends now. */
export function lastHour() {
  return { start_time: Date.now() - 3_600_000, end_time: Date.now() };
}

/** Fails the test when `vidette check` finds anything in the archive of a stopped server. */
export async function checkArchive(dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const place = { VIDETTE_DATA: dataDir, ...env };
  const check = await runProgram(process.execPath, [mainProgram, 'check'], place);
  assert.equal(check.code, 0, check.output);
}
