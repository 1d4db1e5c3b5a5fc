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
  assert.deepEqual(left, [
    'Main gate: the shapes of its zones and masks; names of zones become tags.',
    'odd: This is not the address of a stream. It begins with rtsp://, for example.',
    'empty: it has no address.',
    "The connection to an MQTT broker can't be taken over.",
  ]);
  const { streams: without, left: missing } = readFrigate(config, {});
  assert.deepEqual(
    without.map(({ name }) => name),
    ['yard', 'hall'],
  );
  assert.ok(missing.includes('Main gate: set FRIGATE_RTSP_PASSWORD in the environment, as for Frigate.'));
});

test('[R16.3] configurations of Frigate as people have them: merged settings, words for yes, secrets, friendly names', () => {
  const { streams, left } = readFrigate(
    `
version: 0.16-0
environment_vars: { FRIGATE_YARD: "0815" }
record: { enabled: on, retain: { days: 3, mode: motion }, alerts: { retain: { days: 30 } } }
usual: &usual
  detect: { enabled: True, width: 1280, height: 720 }
  motion: { mask: "0,461,3,0" }
cameras:
  front:
    <<: *usual
    ffmpeg:
      output_args: { record: preset-record-generic-audio-aac }
      inputs:
        - { path: "rtsp://admin:{FRIGATE_FRONT}@10.0.0.2:554/main?channel=1&subtype=0", roles: [record, audio] }
        - { path: "rtsp://admin:pa@ss#w%41d@10.0.0.2:554/sub", roles: [detect] }
    zones:
      zone_1: { friendly_name: Front yard, coordinates: "0,0,1,1" }
  yard:
    ffmpeg: { inputs: [{ path: "rtsp://admin:{FRIGATE_YARD}@10.0.0.3/a", roles: [record, detect] }] }
    record: { retain: { days: 0 } }
  old:
    enabled: no
    ffmpeg: { inputs: [{ path: "rtsp://10.0.0.4/a", roles: [record, detect] }] }
    record: { retain: { days: 1 } }
`,
    { FRIGATE_FRONT: 'a/b?c%41' },
  );
  assert.deepEqual(streams, [
    {
      ...common,
      name: 'front',
      source: 'rtsp://admin:a%2Fb%3Fc%2541@10.0.0.2:554/main?channel=1&subtype=0',
      subSource: 'rtsp://admin:pa%40ss%23w%2541d@10.0.0.2:554/sub',
      tags: ['Front yard'],
      depthHours: 72,
    },
    { ...common, name: 'yard', source: 'rtsp://admin:0815@10.0.0.3/a' },
    { ...common, name: 'old', source: 'rtsp://10.0.0.4/a', isRecorded: false, depthHours: 24 },
  ]);
  assert.deepEqual(left, [
    'front: Frigate keeps only recordings with motion or objects that long; here all are kept.',
    'front: the shapes of its zones and masks; names of zones become tags.',
    'yard: Frigate keeps only recordings with motion, alerts or detections; here all have the server’s usual depth.',
    'old: the camera is disabled; it is added, but not recorded.',
  ]);
});

test('[R16.3] sources of go2rtc: the first that can be read, through other streams, and go2rtc itself for the others', () => {
  const { streams } = readFrigate(
    `
go2rtc:
  rtsp: { listen: ":8556" }
  streams:
    porch: ffmpeg:rtsp://{FRIGATE_USER}:{FRIGATE_PASSWORD}@10.0.0.2/main?subtype=1#video=copy#audio=opus
    unifi: ["rtspx://10.0.0.1:7441/abc"]
    tapo: ["tapo://secret@10.0.0.5", "ffmpeg:tapo#audio=aac"]
    both: ["onvif://10.0.0.6", "ffmpeg:http://10.0.0.6/flv?app=bcs&user=u&password=p#video=copy"]
    named: ["ffmpeg:porch#video=h264"]
    circle: ["ffmpeg:round", "ffmpeg:circle"]
    round: ["ffmpeg:circle"]
cameras:
${['porch', 'unifi', 'tapo', 'both', 'named', 'circle', 'constructor']
  .map(
    (name) =>
      `  ${name}: { ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:8556/${name}?video&audio", roles: [record] }] } }`,
  )
  .join('\n')}
  other: { ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:8554/porch", roles: [record] }] } }
`,
    { FRIGATE_USER: 'admin', FRIGATE_PASSWORD: 'p%40ss' },
  );
  const porch = 'rtsp://admin:p%40ss@10.0.0.2/main?subtype=1';
  assert.deepEqual(
    streams.map(({ name, source, remark }) => [name, source, remark !== undefined]),
    [
      ['porch', porch, false],
      ['unifi', 'rtsps://10.0.0.1:7441/abc', false],
      ['tapo', 'rtsp://127.0.0.1:8556/tapo?video&audio', true],
      ['both', 'http://10.0.0.6/flv?app=bcs&user=u&password=p', false],
      ['named', porch, false],
      ['circle', 'rtsp://127.0.0.1:8556/circle?video&audio', true],
      ['constructor', 'rtsp://127.0.0.1:8556/constructor?video&audio', true],
      ['other', 'rtsp://127.0.0.1:8554/porch', false],
    ],
  );
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

test('[R16.3] a configuration may use the same settings for hundreds of cameras', () => {
  const cameras = Array.from(
    { length: 300 },
    (_, index) =>
      `  cam${index}: { <<: *usual, ffmpeg: { inputs: [{ path: "rtsp://10.0.0.2/${index}", roles: *roles }] } }`,
  );
  const { streams } = readFrigate(
    `usual: &usual { record: { enabled: true } }\nroles: &roles [record]\ncameras:\n${cameras.join('\n')}`,
    {},
  );
  assert.equal(streams.filter(({ isRecorded }) => isRecorded).length, 300);
});

test('[R16.3] a monitor of Shinobi may have a folder of its own, and a folder has its configuration under a usual name', async (t) => {
  const path = await folder(t);
  const { cameras } = readShinobi(
    JSON.stringify({
      ke: 'group',
      mid: 'x1',
      mode: 'record',
      details: { dir: '/mnt/more/', auto_host: 'rtsp://10.0.0.2/1' },
    }),
  );
  assert.deepEqual(cameras, [
    {
      name: 'x1',
      camera: 'group/x1',
      recordPath: { path: '/mnt/more/%path/%Y-%m-%dT%H-%M-%S.mp4', others: [] },
    },
  ]);
  for (const name of ['config.yaml', 'config/config.yml']) {
    const place = join(path, name.replaceAll('/', '-'));
    await mkdir(join(place, 'config'), { recursive: true });
    await writeFile(join(place, name), 'cameras: {gate: {ffmpeg: {inputs: [{path: "rtsp://10.0.0.2/a"}]}}}');
    assert.equal((await imported('frigate', place)).lines[0], 'gate: rtsp://10.0.0.2; not recorded');
  }
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
  assert.deepEqual(await imported('moonfire', join(path, 'db')), { code, lines });
  const toml = join(path, 'moonfire-nvr.toml');
  for (const text of [
    `# dbDir = "/nowhere"\ndbDir = "${join(path, 'db')}" # of the flash disk\n[[binds]]\nipv4 = "0.0.0.0:8080"\n`,
    `workerThreads = 2\r\n'dbDir'='${join(path, 'db')}'\r\n`,
    'dbDir = "\\u0064b"\n',
  ]) {
    await writeFile(toml, text);
    assert.deepEqual(await imported('moonfire', toml), { code, lines }, text);
  }
  for (const [text, reason] of [
    ['dbDir = { }\n', `${toml} can't be read: dbDir is not a path in quotes.`],
    ['dbDir = "a\\q"\n', `${toml} can't be read: dbDir has unknown escapes.`],
    ['[other]\ndbDir = "db"\n', '/var/lib/moonfire-nvr/db/db does not exist.'],
  ] as const) {
    await writeFile(toml, text);
    assert.deepEqual(await imported('moonfire', toml), { code: 1, lines: [reason] });
  }
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
  for (const [text, reason] of [
    ['cameras:\n  gate: {}\n  gate: {password: secret-word}', 'it is not valid YAML (line 3)'],
    ['cameras: {gate: {password: *secret-word}}', 'it is not valid YAML'],
    ['cameras: {gate: {<<: secret-word}}', 'it is not valid YAML'],
  ] as const) {
    await writeFile(path, text);
    for (const product of ['frigate', 'mediamtx'])
      assert.deepEqual(await imported(product, path), {
        code: 1,
        lines: [`${path} can't be read: ${reason}.`],
      });
  }
  await writeFile(path, 'cameras: {gate: {ffmpeg: {inputs: [{path: "rtsp://10.0.0.2/a"}]}}}');
  const { code, lines } = await imported('frigate', path, 'http://127.0.0.1:1');
  assert.deepEqual([code, lines.at(-1)?.includes('VIDETTE_TOKEN')], [2, true]);
  const env = { VIDETTE_TOKEN: 'x' };
  for (const [address, answer] of [
    ['localhost:8080', /needs an address as in http/],
    ['http://127.0.0.1:1', /^The server does not answer: check that it runs, and its address\.$/m],
  ] as const) {
    const told: string[] = [];
    assert.notEqual(
      await runCommand('import', ['frigate', path, address], env, (line) => void told.push(line)),
      0,
    );
    assert.match(told.join('\n'), answer);
    assert.ok(told.includes('1 stream found.'));
  }
});
