import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findMediamtx } from './mediamtx-recordings.ts';
import { placesOf } from './recordings.ts';

const own = 'rtsp://127.0.0.1:8554';
const fmp4 = '2026-11-21_10-00-00-250000.mp4';

/** A folder with the recordings of a MediaMTX, as empty files. */
async function folder(t: TestContext, files: readonly string[] = []): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vidette-mediamtx-'));
  t.after(() => rm(path, { recursive: true }));
  for (const file of files) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), '');
  }
  return path;
}

async function found(t: TestContext, text: string, files: readonly string[] = []) {
  const path = await folder(t, files);
  const { streams, cameras, left } = await findMediamtx(text, join(path, 'mediamtx.yml'), undefined);
  return { path, streams, cameras, left, byName: new Map(streams.map((stream) => [stream.name, stream])) };
}

/** What the listing of a camera takes and notes. */
async function listed({ path, cameras }: Awaited<ReturnType<typeof found>>, name: string) {
  const config = join(path, 'mediamtx.yml');
  const places = await placesOf('mediamtx', cameras, config, undefined, 'UTC');
  const notes: string[] = [];
  const files: Record<string, string[]> = {};
  for await (const { folder: at, recordings } of places
    .find((place) => place.name === name)
    ?.list((reason, example) => void notes.push(`${example}: ${reason}`)) ?? [])
    files[at] = recordings.map((recording) => recording.name);
  return { files, notes };
}

test('[R16.3] paths of MediaMTX: sources, defaults, durations, words of YAML 1.1 and merged settings', async (t) => {
  const { streams, left } = await found(
    t,
    `
x-cameras: &camera { sourceOnDemand: on, recordDeleteAfter: 500ms }
pathDefaults: { record: yes, recordDeleteAfter: 1d12h }
paths:
  gate: { source: "rtsp://user:pass@10.0.0.2/live" }
  yard: { source: "http://10.0.0.3/index.m3u8", record: No, sourceOnDemand: yes, recordDeleteAfter: 0s }
  hall: { source: "rtsp+http://10.0.0.4:8080/a" }
  roof: { <<: *camera, source: "udp+mpegts://239.0.0.1:1234" }
  kept: { source: "rtsp://10.0.0.5/a", recordDeleteAfter: 0s }
  odd: { source: "whep://10.0.0.6/a" }
  moved: { source: redirect, sourceRedirect: "rtsp://10.0.0.7/b" }
`,
  );
  const common = { subSource: null, tags: [], isRecorded: true, isOnDemand: false, depthHours: 36 };
  assert.deepEqual(
    streams.toSorted((a, b) => (a.source < b.source ? -1 : 1)),
    [
      {
        ...common,
        ...{ name: 'yard', source: 'http://10.0.0.3/index.m3u8', isRecorded: false, isOnDemand: true },
        depthHours: undefined,
      },
      { ...common, name: 'kept', source: 'rtsp://10.0.0.5/a', depthHours: undefined },
      { ...common, name: 'moved', source: 'rtsp://10.0.0.7/b' },
      { ...common, name: 'gate', source: 'rtsp://user:pass@10.0.0.2/live' },
      { ...common, name: 'hall', source: 'rtsph://10.0.0.4:8080/a' },
      { ...common, name: 'roof', source: 'udp://239.0.0.1:1234', isOnDemand: true, depthHours: 1 },
    ],
  );
  assert.deepEqual(left, [
    'kept: MediaMTX keeps its recordings for ever; here they have the server’s usual depth.',
    'odd: Addresses that begin with whep: are not allowed.',
  ]);
});

test('[R16.3] paths to which cameras publish are read from MediaMTX, and their line says so', async (t) => {
  const of = async (text: string) => (await found(t, text)).byName.get('cam')?.source;
  const { byName } = await found(
    t,
    'paths: { cam: {}, film: { runOnDemand: "ffmpeg -i x", record: on }, twin: { source: redirect, sourceRedirect: /cam } }',
  );
  assert.equal(byName.get('cam')?.source, `${own}/cam`);
  assert.match(byName.get('cam')?.remark ?? '', /^published to MediaMTX and read from there until you enter/);
  assert.deepEqual(
    [byName.get('film')?.source, byName.get('film')?.isOnDemand, byName.get('film')?.isRecorded],
    [`${own}/film`, true, true],
  );
  assert.match(byName.get('film')?.remark ?? '', /^published by a command of MediaMTX/);
  assert.equal(byName.get('twin')?.source, `${own}/cam`);
  const paths = 'paths: { cam: {} }';
  assert.equal(await of(`rtspAddress: "10.0.0.9:9554"\n${paths}`), 'rtsp://10.0.0.9:9554/cam');
  assert.equal(await of(`rtspPort: 9554\n${paths}`), 'rtsp://127.0.0.1:9554/cam');
  assert.equal(await of(`encryption: strict\n${paths}`), 'rtsps://127.0.0.1:8322/cam');
  assert.equal(await of(`rtspDisable: yes\n${paths}`), 'rtmp://127.0.0.1:1935/cam');
  assert.equal(
    await of('paths: { cam: { readUser: viewer, readPass: "a/b" } }'),
    'rtsp://viewer:a%2Fb@127.0.0.1:8554/cam',
  );
  assert.equal(await of('paths: { cam: { readUser: "sha256:x", readPass: "sha256:y" } }'), `${own}/cam`);
  const deaf = await found(t, `rtsp: no\nrtmp: no\n${paths}`);
  assert.deepEqual(
    [deaf.streams, deaf.left],
    [[], ['cam: it is published to MediaMTX, which serves neither RTSP nor RTMP.']],
  );
  const closed = await found(
    t,
    `authInternalUsers: [{ user: any, permissions: [{ action: publish }] }]\n${paths}`,
  );
  assert.match(closed.byName.get('cam')?.remark ?? '', /asks for a user/);
});

test('[R16.3] patterns of MediaMTX stand for the paths that have recordings, and each has the settings that apply to it', async (t) => {
  const all = await found(
    t,
    String.raw`
pathDefaults: { record: yes, recordDeleteAfter: 7d }
paths:
  gate: { source: "rtsp://10.0.0.2/a" }
  "~^cam(?P<number>\\d+)$": { source: "rtsp://10.0.0.9/$G1/main", recordDeleteAfter: 2d }
  "~^unused$": { source: "rtsp://10.0.0.8/a" }
  "~(": {}
  all_others: { record: no }
`,
    [
      ...['gate', 'cam7', 'cam12', 'house/yard'].map((name) => `recordings/${name}/${fmp4}`),
      'recordings/old/2026-11-21_10-00-00.mp4',
      'recordings/ts/2026-11-21_10-00-00-250000.ts',
      'recordings/cam7/notes.txt',
      'recordings/empty/notes.txt',
      'recordings/not a name/2026-11-21_10-00-00-250000.mp4',
    ],
  );
  const facts = all.streams.map(({ name, source, isRecorded, depthHours }) => [
    name,
    source,
    isRecorded,
    depthHours,
  ]);
  assert.deepEqual(facts, [
    ['gate', 'rtsp://10.0.0.2/a', true, 168],
    ['cam12', 'rtsp://10.0.0.9/12/main', true, 48],
    ['cam7', 'rtsp://10.0.0.9/7/main', true, 48],
    ['house/yard', `${own}/house/yard`, false, 168],
    ['old', `${own}/old`, false, 168],
    ['ts', `${own}/ts`, false, 168],
  ]);
  assert.deepEqual(all.left, [
    '~(: this is no regular expression.',
    '~^unused$: a pattern of paths; there are no recordings of any path that it stands for.',
  ]);
  assert.deepEqual(
    all.cameras.map(({ name }) => name),
    facts.map(([name]) => name),
  );
  assert.deepEqual(await listed(all, 'cam7'), { files: { cam7: [fmp4] }, notes: [] });
  // The names of version 1.1, and a format that can't be shown.
  assert.deepEqual((await listed(all, 'old')).files, { old: ['2026-11-21_10-00-00.mp4'] });
  assert.deepEqual(await listed(all, 'ts'), {
    files: {},
    notes: [
      'ts/2026-11-21_10-00-00-250000.ts: it is MPEG-TS: only recordings in the format fmp4 can be shown',
    ],
  });
});

test('[R16.3] record paths with every variable, in the whole name, of the whole server, and recordings without a path', async (t) => {
  // As versions before 1.4 wrote it.
  const once = await found(
    t,
    'record: yes\nrecordPath: ./rec/%Y/%m/%d/%path_%H-%M-%S_%s%z\nrecordDeleteAfter: 3h\npaths: { all: }',
    ['rec/2026/11/21/a/b_10-00-00_1795255200+0100.mp4', 'rec/2026/11/21/c_10-00-00_1795255200Z.mp4'],
  );
  assert.deepEqual(
    once.streams.map(({ name, isRecorded, depthHours }) => [name, isRecorded, depthHours]),
    [
      ['a/b', true, 3],
      ['c', true, 3],
    ],
  );
  assert.deepEqual((await listed(once, 'a/b')).files, {
    '2026/11/21/a': ['b_10-00-00_1795255200+0100.mp4'],
  });
  const twice = await found(t, 'paths: { all_others: { recordPath: "./r/%path/%path@%s" } }', [
    'r/a/a@1795255200.mp4',
    'r/a/b@1795255200.mp4',
  ]);
  assert.deepEqual(
    twice.streams.map(({ name }) => name),
    ['a'],
  );
  const many = Array.from({ length: 25 }, (_, index) => `recordings/gone${index}/${fmp4}`);
  const { streams, left } = await found(t, 'paths: { gate: { source: "rtsp://10.0.0.2/a" } }', many);
  assert.deepEqual([streams.length, left.length], [1, 21]);
  assert.equal(left[0], 'gone0: there are recordings, but the configuration has no such path.');
  assert.equal(left[20], '5 more paths with recordings that the configuration does not have.');
});

test('[R16.3] a pattern that other engines never finish costs what it costs MediaMTX', async (t) => {
  const begin = performance.now();
  const { left } = await found(t, 'paths: { "~^(a+)+$": {} }', [
    `recordings/${'a'.repeat(200)}!/${fmp4}`,
    `recordings/${'a'.repeat(200)}_/${fmp4}`,
  ]);
  assert.equal(left.length, 2);
  assert.ok(performance.now() - begin < 5_000);
});
