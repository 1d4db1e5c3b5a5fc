import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { ForeignConfigError } from './found-stream.ts';
import { importRecordings, placesOf, recordingsOf } from './recordings.ts';

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vidette-recordings-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test('[R16.3] recordings are looked for beside the configuration, or where the command says; an empty folder has none', async (t) => {
  const path = await folder(t);
  const config = join(path, 'config', 'config.yml');
  const cameras = [{ name: 'Gate', camera: 'gate' }];
  await mkdir(join(path, 'storage', 'recordings'), { recursive: true });
  const usual = () => placesOf('frigate', cameras, config, undefined, 'UTC');
  assert.deepEqual(await usual(), []);
  await assert.rejects(
    placesOf('frigate', cameras, config, join(path, 'storage', 'recordings'), 'UTC'),
    ForeignConfigError,
  );
  await writeFile(join(path, 'storage', 'recordings', 'x'), '');
  assert.deepEqual(
    (await usual()).map(({ root }) => root),
    [join(path, 'storage', 'recordings')],
  );
  assert.deepEqual(
    (await placesOf('frigate', cameras, config, path, 'UTC')).map(({ root }) => root),
    [path],
  );
});

test('[R16.3] the record path of MediaMTX says where recordings are, and a named folder takes the place of its fixed part', async (t) => {
  const path = await folder(t);
  const config = join(path, 'mediamtx.yml');
  await mkdir(join(path, 'rec', 'v1', 'gate'), { recursive: true });
  await writeFile(join(path, 'rec', 'v1', 'gate', '2026-10-01_12-00-00-000000.mp4'), '');
  const cameras = [
    {
      name: 'gate',
      camera: 'gate',
      recordPath: { path: './rec/v1/%path/%Y-%m-%d_%H-%M-%S-%f.mp4', others: [] },
    },
  ];
  for (const named of [undefined, join(path, 'rec', 'v1')]) {
    const [place] = await placesOf('mediamtx', cameras, config, named, 'UTC');
    assert.equal(place?.root, join(path, 'rec', 'v1'));
    const listed = [];
    for await (const found of place?.list(() => {}) ?? []) listed.push(found);
    assert.deepEqual(
      listed.map((found) => [found.folder, found.recordings.length]),
      [['gate', 1]],
    );
  }
});

test('[R16.3] two imports never write at the same time', async (t) => {
  const path = await folder(t);
  await mkdir(join(path, 'gate'));
  const layout = { root: path, template: '%path/%s.mp4', zone: null };
  const options = {
    cameras: [recordingsOf('gate', 'gate', layout)],
    uids: new Map([['gate', 'cam1']]),
    catalogPath: join(path, 'imported.sqlite'),
    clock: new ManualClock(),
    out: () => {},
  };
  const both = await Promise.allSettled([importRecordings(options), importRecordings(options)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.deepEqual(await importRecordings(options), []);
});
