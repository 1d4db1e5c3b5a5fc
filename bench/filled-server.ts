import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startServer, type TestServer } from '../e2e/server.ts';
import { Store } from '../server/src/store/store.ts';

// A server with many streams. They are paused or on demand and written directly into the store.

const users = 1_000;
const permissionsEach = 200;

/**
 * Names, tags and locations vary as in a real installation; every fifth stream is on demand, the others are
 * paused.
 */
function fill(file: string, streams: number, admins: number): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const nowMs = Date.now();
  const addUser = database.prepare(
    `INSERT INTO users (id, login, login_key, email, email_key, full_name, full_name_key, language, password_hash, is_admin,
      max_stream_creation, is_managed, must_change_password, is_blocked, created_ms, last_seen_ms)
      VALUES (?, ?, ?, '', '', '', '', 'en', 'x', ?, 5, 0, 0, 0, ?, ?)`,
  );
  const addSession = database.prepare(`INSERT INTO sessions VALUES (?, ?, ?, ?, ?, '127.0.0.1', 'bench')`);
  for (let id = 1; id <= users; id++) {
    addUser.run(id, `user${id}`, `user${id}`, id <= admins ? 1 : 0, nowMs, nowMs);
    addSession.run(`session${id}`, sha256(secretOf(id)), id, nowMs, nowMs);
  }
  const addStream = database.prepare(
    `INSERT INTO streams (id, uid, name, name_key, source, location_name, location_key, is_on_demand, is_recorded, depth_hours,
      is_paused, allows_loopback, search_text, created_by, created_ms, revision, node_id, status)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, -1, ?, 0, ?, 1, ?, 1, 'main', ?)`,
  );
  const addTag = database.prepare(
    'INSERT INTO stream_tags (stream_id, tag, tag_key, position) VALUES (?, ?, ?, 0)',
  );
  for (let id = 1; id <= streams; id++) {
    const name = `Camera ${id * 7919} ${id % 3 === 0 ? 'Gate' : 'Yard'}`;
    const place = `Building ${id % 40}`;
    const tag = `Floor ${id % 25}`;
    const isOnDemand = id % 5 === 0;
    const source = `rtsp://10.0.${id >> 8}.${id & 255}/stream`;
    const words = [name, source, tag, place].join('\n').toLowerCase();
    const status = isOnDemand ? 'pending' : 'paused';
    const keys = [name.toLowerCase(), source, place, place.toLowerCase()];
    addStream.run(
      id,
      uidOf(id),
      name,
      ...keys,
      isOnDemand ? 1 : 0,
      isOnDemand ? 0 : 1,
      words,
      nowMs + id,
      status,
    );
    addTag.run(id, tag, tag.toLowerCase());
  }
  const addPermission = database.prepare('INSERT OR IGNORE INTO permissions VALUES (?, ?, 1, 1, 0, 0)');
  for (let user = 1; user <= users; user++) {
    for (let index = 0; index < permissionsEach; index++)
      addPermission.run(user, viewable(user, streams, index));
  }
  database.exec('COMMIT');
  database.close();
}

/** Id of the stream of a user's permission with this index. */
export const viewable = (user: number, streams: number, index = 0) =>
  1 + ((user * 31 + index * 53) % streams);
/** The secret of a user's session. */
export const secretOf = (id: number) => String(id).padStart(43, 's');
/** The uid of a stream. */
export const uidOf = (id: number) => `cam${String(id).padStart(9, '0')}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Starts the product with this many streams, and with 1 000 users who may each view 200 of them; the first, or the
 * given number of them, are administrators. The caller removes the data folder.
 */
export async function startFilled(
  streams: number,
  env: Record<string, string> = {},
  admins = 1,
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-bench-api-'));
  const file = join(dataDir, 'vidette.sqlite');
  await (await Store.open({ file, redact: (source) => source })).close();
  fill(file, streams, admins);
  return startServer({ dataDir, env });
}
