import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { requireBox } from '@vidette/media/fmp4/box';

const run = promisify(execFile);
const ticksPerSecond = 90_000;

/** A camera with recordings. */
export interface MoonfireCamera {
  readonly name: string;
  /** An MP4 file with one video track without B-frames, whose samples it has. */
  readonly movie: string;
  readonly startMs: number;
  /** How long each frame is, ticks of 90 kHz. */
  readonly frameTicks: number;
  /** How many frames each of its recordings has. */
  readonly frames: readonly number[];
  /** How much longer each recording lasts by the recorder's clock than by the camera's, ticks. */
  readonly driftTicks: number;
}

interface Packet {
  readonly pos: string;
  readonly size: string;
  readonly flags: string;
}

/**
 * Makes a folder of Moonfire NVR with the tables that matter for moving in (those of its schema 7), and the files of its
 * recordings. The database stays open, locked and not written out, as while it runs.
 */
export async function writeMoonfire(
  folder: string,
  cameras: readonly MoonfireCamera[],
): Promise<DatabaseSync> {
  const files = join(folder, 'sample');
  await Promise.all([mkdir(join(folder, 'db'), { recursive: true }), mkdir(files, { recursive: true })]);
  const database = new DatabaseSync(join(folder, 'db/db'));
  database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; ${tables}`);
  const add = (table: string, ...values: readonly (string | number | bigint | Uint8Array | null)[]) =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
  add('version', 7, 0, 'test');
  add('sample_file_dir', 1, randomBytes(16), JSON.stringify({ path: files }), null);
  for (const [index, camera] of cameras.entries()) {
    const id = index + 1;
    const config = { mode: 'record', url: `rtsp://127.0.0.1:9/${id}` };
    add('camera', id, randomBytes(16), camera.name, '{"username":"u","password":"secret-word"}');
    add('stream', id, id, 1, 'main', JSON.stringify(config));
    add('video_sample_entry', id, await entryOf(camera.movie));
    await writeRecordings(camera, id, files, add);
  }
  return database;
}

async function writeRecordings(
  { movie, startMs, frameTicks, frames, driftTicks }: MoonfireCamera,
  id: number,
  files: string,
  add: (table: string, ...values: readonly (string | number | bigint | Uint8Array | null)[]) => void,
): Promise<void> {
  const bytes = await readFile(movie);
  const packets = await packetsOf(movie);
  let startTicks = (startMs / 1000) * ticksPerSecond;
  for (const [index, count] of frames.entries()) {
    const own = packets.splice(0, count);
    const composite = (BigInt(id) << 32n) | BigInt(index + 1);
    const content = Buffer.concat(
      own.map(({ pos, size }) => bytes.subarray(Number(pos), Number(pos) + Number(size))),
    );
    await writeFile(join(files, composite.toString(16).padStart(16, '0')), content);
    const wallTicks = count * frameTicks + driftTicks;
    add('recording', composite, id, content.length, startTicks, wallTicks, -driftTicks, id);
    add('recording_playback', composite, indexOf(own, frameTicks));
    startTicks += wallTicks;
  }
}

/** Two numbers for each frame: what its duration and its length differ from those before. */
function indexOf(packets: readonly Packet[], frameTicks: number): Uint8Array {
  const bytes: number[] = [];
  const last = { key: 0, other: 0 };
  for (const [index, { size, flags }] of packets.entries()) {
    const type = flags.startsWith('K') ? 'key' : 'other';
    const durationStep = index === 0 ? frameTicks : 0;
    putVarint(bytes, durationStep * 4 + (type === 'key' ? 1 : 0));
    const sizeStep = Number(size) - last[type];
    putVarint(bytes, sizeStep < 0 ? -2 * sizeStep - 1 : 2 * sizeStep);
    last[type] = Number(size);
  }
  return Uint8Array.from(bytes);
}

function putVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
}

async function packetsOf(movie: string): Promise<Packet[]> {
  const show = ['-v', 'error', '-show_entries', 'packet=pos,size,flags', '-of', 'json'];
  const { stdout } = await run('ffprobe', [...show, movie], { maxBuffer: 64 << 20 });
  return (JSON.parse(stdout) as { packets: Packet[] }).packets;
}

/** The sample entry box in the stsd of a file. */
async function entryOf(movie: string): Promise<Uint8Array> {
  const path = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];
  return path.reduce<Uint8Array>(requireBox, await readFile(movie)).subarray(8);
}

const tables = `
CREATE TABLE version (id INTEGER PRIMARY KEY, unix_time INTEGER, notes TEXT);
CREATE TABLE sample_file_dir (id INTEGER PRIMARY KEY, uuid BLOB, config TEXT, last_complete_open_id INTEGER);
CREATE TABLE camera (id INTEGER PRIMARY KEY, uuid BLOB, short_name TEXT, config TEXT);
CREATE TABLE stream (id INTEGER PRIMARY KEY, camera_id INTEGER, sample_file_dir_id INTEGER, type TEXT, config TEXT);
CREATE TABLE video_sample_entry (id INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE recording (composite_id INTEGER PRIMARY KEY, stream_id INTEGER, sample_file_bytes INTEGER,
  start_time_90k INTEGER, wall_duration_90k INTEGER, media_duration_delta_90k INTEGER, video_sample_entry_id INTEGER);
CREATE TABLE recording_playback (composite_id INTEGER PRIMARY KEY, video_index BLOB);
`;
