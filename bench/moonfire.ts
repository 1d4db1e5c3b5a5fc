/** Moonfire NVR as another side of a comparison, where it is on the path. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../e2e/sshd.ts';
import { sideOf, type Start } from './recording-load.ts';
import { accepting, end, isOnPath } from './rivals.ts';

const program = 'moonfire-nvr';
const megabyte = 1_000_000;

export function isMoonfireOnPath(): boolean {
  return isOnPath(program);
}

/** A running Moonfire NVR that records the video of cameras, in files of a minute; it has no way to record audio. */
class Moonfire {
  readonly #process: ChildProcess;
  readonly #database: string;

  private constructor(process: ChildProcess, database: string) {
    this.#process = process;
    this.#database = database;
  }

  /** Resolves when it listens. Its cameras are otherwise set in a terminal's dialogs; here they are rows of its database. */
  static async start(folder: string, sources: readonly string[]): Promise<Moonfire> {
    const [databaseFolder, samples] = [join(folder, 'database'), join(folder, 'samples')];
    for (const one of [databaseFolder, samples]) mkdirSync(one, { recursive: true });
    execFileSync(program, ['init', `--db-dir=${databaseFolder}`], { stdio: 'ignore' });
    const database = join(databaseFolder, 'db');
    addCameras(database, samples, sources);
    const port = await freePort();
    const settings = [
      `dbDir = ${JSON.stringify(databaseFolder)}`,
      `uiDir = ${JSON.stringify(folder)}`,
      '[[binds]]',
      `ipv4 = "127.0.0.1:${port}"`,
    ];
    const file = join(folder, 'moonfire.toml');
    writeFileSync(file, `${settings.join('\n')}\n`);
    const env = { ...process.env, MOONFIRE_LOG: 'error' };
    const child = spawn(program, ['run', `--config=${file}`], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await accepting(port, child, program);
    return new Moonfire(child, database);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** It commits what it has recorded. */
  stop(): Promise<void> {
    return end(this.#process, 'SIGTERM');
  }

  /** According to its database, after `stop`. */
  get recordedFrames(): number {
    const database = new DatabaseSync(this.#database, { readOnly: true });
    try {
      return Number(database.prepare('SELECT sum(video_samples) AS frames FROM recording').get()?.['frames']);
    } finally {
      database.close();
    }
  }
}

/** Video only. It flushes a file of a minute when it is complete. Its start counts, as that of the server. */
export const recordWithMoonfire: Start = async (cameras, folder) => {
  const server = await Moonfire.start(folder, cameras.urls);
  return { ...sideOf(server, cameras), recordedFrames: () => server.recordedFrames };
};

function addCameras(file: string, samples: string, sources: readonly string[]): void {
  const database = new DatabaseSync(file);
  const uuid = () => Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  database
    .prepare('INSERT INTO sample_file_dir (id, uuid, config) VALUES (1, ?, ?)')
    .run(uuid(), JSON.stringify({ path: samples }));
  const camera = database.prepare('INSERT INTO camera (id, uuid, short_name, config) VALUES (?, ?, ?, ?)');
  const stream = database.prepare(
    "INSERT INTO stream (camera_id, sample_file_dir_id, type, config, cum_recordings, cum_media_duration_90k, cum_runs) VALUES (?, 1, 'main', ?, 0, 0, 0)",
  );
  for (const [index, url] of sources.entries()) {
    camera.run(index + 1, uuid(), `camera ${index}`, '{}');
    const config = { mode: 'record', url, rtspTransport: 'tcp', retainBytes: 10_000 * megabyte };
    stream.run(index + 1, JSON.stringify(config));
  }
  database.close();
}
