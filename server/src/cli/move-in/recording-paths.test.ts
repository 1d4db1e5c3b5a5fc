import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listRecordings, type RecordingLayout } from './recording-paths.ts';

/** A folder with these files. */
async function tree(t: TestContext, paths: readonly string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'vidette-paths-'));
  t.after(() => rm(root, { recursive: true }));
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), '');
  }
  return root;
}

/** What is found, as times of one path each; and what is noted. */
async function listed(layout: RecordingLayout, camera: string) {
  const files: Record<string, string[]> = {};
  const notes: string[] = [];
  const note = (reason: string, example: string) => void notes.push(`${example}: ${reason}`);
  for await (const { folder, recordings } of listRecordings(layout, camera, note))
    for (const { name, startsMs } of recordings)
      files[`${folder}/${name}`] = startsMs.map((ms) => new Date(ms).toISOString());
  return { files, notes };
}

test('[R16.3] paths of Frigate are read in UTC, other cameras and symbolic links are left out', async (t) => {
  const root = await tree(t, [
    '2026-11-20/23/gate/59.50.mp4',
    '2026-11-21/00/gate/00.00.mp4',
    '2026-11-21/00/gate/00.00.mp4.tmp',
    '2026-11-21/00/gate/60.00.mp4',
    '2026-11-21/00/yard/00.00.mp4',
    '2026-13-21/00/gate/00.00.mp4',
    'other/00/gate/00.00.mp4',
  ]);
  await symlink(join(root, '2026-11-21'), join(root, '2026-11-22'));
  const layout = { root, template: '%Y-%m-%d/%H/%path/%M.%S.mp4', zone: null };
  assert.deepEqual(await listed(layout, 'gate'), {
    files: {
      '2026-11-20/23/gate/59.50.mp4': ['2026-11-20T23:59:50.000Z'],
      '2026-11-21/00/gate/00.00.mp4': ['2026-11-21T00:00:00.000Z'],
    },
    notes: [
      '2026-11-21/00/gate/60.00.mp4: its name has no valid time',
      '2026-11-22: it is a symbolic link',
      '2026-13-21/00/gate/00.00.mp4: its name has no valid time',
    ],
  });
});

test('[R16.3] record paths of MediaMTX: nested names, microseconds, zones, seconds since the epoch', async (t) => {
  const root = await tree(t, [
    'a+b/c%d/2026-11-21_10-00-00-250000.mp4',
    'a+b/c%d/2026-11-21_10-00-00-25.mp4',
    'zone/20261121T100000-0330.mp4',
    'epoch/1700000000.mp4',
  ]);
  const of = (template: string, camera: string) => listed({ root, template, zone: null }, camera);
  assert.deepEqual((await of('%path/%Y-%m-%d_%H-%M-%S-%f.mp4', 'a+b/c%d')).files, {
    'a+b/c%d/2026-11-21_10-00-00-250000.mp4': ['2026-11-21T10:00:00.250Z'],
  });
  assert.deepEqual((await of('%path/%Y%m%dT%H%M%S%z.mp4', 'zone')).files, {
    'zone/20261121T100000-0330.mp4': ['2026-11-21T13:30:00.000Z'],
  });
  assert.deepEqual((await of('%path/%s.mp4', 'epoch')).files, {
    'epoch/1700000000.mp4': ['2023-11-14T22:13:20.000Z'],
  });
  for (const camera of ['../zone', 'a//b', '.', ''])
    assert.deepEqual((await of('%path/%s.mp4', camera)).files, {});
});

test('[R16.3] local names have both times in the hour that occurs twice, and none in the one that is skipped', async (t) => {
  const root = await tree(t, [
    'g/m/2026-03-29T02-30-00.mp4',
    'g/m/2026-10-25T02-30-00.mp4',
    'g/m/2026-10-25T12-00-00.mp4',
    'g/m/2026-10-25T24-00-00.mp4',
  ]);
  const layout = { root, template: '%path/%Y-%m-%dT%H-%M-%S.mp4', zone: 'Europe/Berlin' };
  const { files, notes } = await listed(layout, 'g/m');
  assert.deepEqual(Object.values(files), [
    [],
    ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['2026-10-25T11:00:00.000Z'],
  ]);
  assert.deepEqual(notes, ['g/m/2026-10-25T24-00-00.mp4: its name has no valid time']);
});
