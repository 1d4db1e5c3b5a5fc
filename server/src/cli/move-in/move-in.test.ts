import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { runCommand } from '../command-line.ts';
import { readFrigate } from './frigate.ts';
import { readShinobi } from './shinobi.ts';

const common = { subSource: null, tags: [], isRecorded: true, isOnDemand: false, depthHours: undefined };

test('[R16.3] cameras of Frigate: inputs by role, go2rtc, variables, zones and retention', () => {
  const config = `
mqtt: { host: broker }
go2rtc:
  streams:
    gate: ["ffmpeg:rtsp://admin:{FRIGATE_RTSP_PASSWORD}@10.0.0.2/main#video=h264", "onvif://x"]
record: { enabled: true, retain: { days: 7 } }
cameras:
  gate:
    friendly_name: Main gate
    ffmpeg:
      inputs:
        - { path: "rtsp://127.0.0.1:8554/gate", roles: [record] }
        - { path: "rtsp://10.0.0.2/sub", roles: [detect, audio] }
    zones: { Street: {}, Door: {} }
  yard:
    ffmpeg: { inputs: [{ path: "rtsp://10.0.0.3/only", roles: [detect] }] }
    record: { enabled: false }
  hall:
    ffmpeg: { inputs: [{ path: "rtsp://10.0.0.4/a", roles: [detect, record] }] }
    record: { continuous: { days: 0.5 } }
  odd:
    ffmpeg: { inputs: [{ path: "exec:cat /dev/video0", roles: [record] }] }
  empty: {}
`;
  const { streams, left } = readFrigate(config, { FRIGATE_RTSP_PASSWORD: 'p@ss/word' });
  assert.deepEqual(streams, [
    {
      ...common,
      name: 'Main gate',
      source: 'rtsp://admin:p%40ss%2Fword@10.0.0.2/main',
      subSource: 'rtsp://10.0.0.2/sub',
      tags: ['Street', 'Door'],
      depthHours: 168,
    },
    { ...common, name: 'yard', source: 'rtsp://10.0.0.3/only', isRecorded: false, depthHours: 168 },
    { ...common, name: 'hall', source: 'rtsp://10.0.0.4/a', depthHours: 12 },
  ]);
  assert.equal(left.length, 3);
  assert.match(
    left.join('\n'),
    /^odd: .+\nempty: it has no address\.\nThe connection to an MQTT broker can't be taken over\.$/,
  );
  const { left: missing } = readFrigate(config, {});
  assert.ok(missing.some((line) => line.startsWith('FRIGATE_RTSP_PASSWORD is not set')));
});

test('[R16.3] monitors of Shinobi: whole addresses and their parts, sub-streams, days', () => {
  const details = {
    auto_host: 'rtsp://a:b@10.0.0.2/1',
    max_keep_days: '3',
    substream: { input: { fulladdress: 'rtsp://10.0.0.2/2' } },
  };
  const { streams, left } = readShinobi(
    JSON.stringify([
      { mid: 'x1', name: 'Gate', mode: 'record', tags: 'north,door', details: JSON.stringify(details) },
      {
        mid: 'x2',
        mode: 'start',
        protocol: 'rtsp',
        host: '10.0.0.3',
        port: '8554',
        path: '/s',
        details: { muser: 'u', mpass: 'p:q' },
      },
      { mid: 'x3', mode: 'stop' },
    ]),
  );
  assert.deepEqual(streams, [
    {
      ...common,
      name: 'Gate',
      source: 'rtsp://a:b@10.0.0.2/1',
      subSource: 'rtsp://10.0.0.2/2',
      tags: ['north', 'door'],
      depthHours: 72,
    },
    { ...common, name: 'x2', source: 'rtsp://u:p%3Aq@10.0.0.3:8554/s', isRecorded: false },
  ]);
  assert.deepEqual(left, ['x3: it has no address.']);
});

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vidette-import-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

async function imported(...args: string[]): Promise<{ code: number; lines: readonly string[] }> {
  const lines: string[] = [];
  const code = await runCommand('import', args, {}, (line) => void lines.push(line));
  return { code, lines };
}

test('[R16.3] the database of Moonfire is read in its folder, without its passwords in the preview', async (t) => {
  const path = await folder(t);
  await mkdir(join(path, 'db'));
  const file = join(path, 'db/db');
  const database = new DatabaseSync(file);
  // As while it runs: others can't read it, and the last changes are in the log.
  database.exec(`
    pragma locking_mode = exclusive;
    pragma journal_mode = wal;
    create table version (id integer primary key);
    insert into version values (6), (7);
    create table sample_file_dir (id integer primary key, config text);
    create table camera (id integer primary key, uuid blob, short_name text not null, config text not null);
    create table stream (id integer primary key, camera_id integer, sample_file_dir_id integer, type text, config text not null);
    insert into camera values (1, x'00', 'Gate', '{"username":"u","password":"secret-word"}'), (2, x'01', 'Yard', '{}');
    insert into stream values
      (1, 1, 1, 'main', '{"mode":"record","url":"rtsp://10.0.0.2/main","retainBytes":5000000000}'),
      (2, 1, 1, 'sub', '{"mode":"record","url":"rtsp://10.0.0.2/sub"}'),
      (3, 2, null, 'sub', '{"mode":"record","url":"rtsp://10.0.0.3/sub"}');`);
  assert.throws(
    () => new DatabaseSync(file, { readOnly: true }).prepare('select 1 from camera').get(),
    /locked/,
  );
  const before = await readdir(join(path, 'db'));
  const { code, lines } = await imported('moonfire', path);
  assert.equal(code, 0);
  assert.deepEqual(lines.slice(0, 6), [
    'Gate: rtsp://10.0.0.2; sub-stream rtsp://10.0.0.2; recorded',
    'Yard: rtsp://10.0.0.3; recorded',
    "Not taken: Gate: 5.0 GB of recordings are kept; Vidette keeps them by age and by the disk's space.",
    'Not taken: Gate: recordings of its sub-stream are left out; those of the main stream are shown.',
    '2 streams found.',
    'No recordings were found. Name their folder with --recordings FOLDER.',
  ]);
  assert.deepEqual(await readdir(join(path, 'db')), before);
  database.exec('insert into version values (8)');
  database.close();
  assert.deepEqual((await imported('moonfire', path)).lines, [
    `${file} can't be read: it has version 8 of the tables of Moonfire NVR; only version 7 is supported.`,
  ]);
  await truncate(file, 6000);
  assert.deepEqual((await imported('moonfire', path)).lines, [
    `${file} can't be read: it is no whole database of Moonfire NVR.`,
  ]);
  assert.doesNotMatch(lines.join('\n'), /secret-word/);
});

test('[R16.3] a configuration that can’t be read is refused in one line without its text', async (t) => {
  const path = join(await folder(t), 'config');
  await writeFile(path, 'cameras: {gate: rtsp://u:secret-word@x');
  for (const product of ['frigate', 'mediamtx', 'shinobi', 'moonfire']) {
    const { code, lines } = await imported(product, path);
    assert.deepEqual([code, lines.length], [1, 1], product);
    assert.doesNotMatch(lines.join(), /secret-word/);
  }
  assert.equal((await imported('frigate', join(path, 'missing'))).code, 1);
  assert.equal((await imported('zoneminder', path)).code, 2);
  await writeFile(path, 'cameras: {gate: {ffmpeg: {inputs: [{path: "rtsp://10.0.0.2/a"}]}}}');
  const { code, lines } = await imported('frigate', path, 'http://127.0.0.1:1');
  assert.deepEqual([code, lines.at(-1)?.includes('VIDETTE_TOKEN')], [2, true]);
});
