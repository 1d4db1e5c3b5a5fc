import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openArchive, recordSpan, temporaryRoot } from '../archive/fixtures/archive-fixture.ts';
import { footageOf, footageStartMs } from '../archive/fixtures/footage-fixture.ts';
import { check } from './check.ts';
import { runCommand } from './command-line.ts';
import { rebuildIndex } from './rebuild-index.ts';

/** The data folder of a stopped server that recorded five seconds. */
async function dataFolder(t: TestContext): Promise<string> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  await recordSpan(archive, 'cam1', footageOf('h264-no-b.mp4'), footageStartMs, footageStartMs + 5_000);
  await archive.close();
  return dirname(dir);
}

async function printed(command: typeof check, dataDir: string): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await command({ dataDir, out: (line) => lines.push(line) });
  return { code, lines };
}

test('[R10.3] check prints one line per finding, and its exit code reports whether there are any', async (t) => {
  const dataDir = await dataFolder(t);
  assert.deepEqual(await printed(check, dataDir), { code: 0, lines: ['The archive is in order.'] });
  const stray = join(dataDir, 'archive', 'cam1', '2026-11-20', '23-00-00.000.mp4');
  await writeFile(stray, 'mine');
  assert.deepEqual(await printed(check, dataDir), {
    code: 1,
    lines: [`invariant 2: ${stray} has no row`, 'Findings: 1.'],
  });
  await rm(`${dataDir}/archive.sqlite`);
  assert.equal((await printed(check, dataDir)).code, 1);
});

test('[R10.3] rebuild-index makes a catalog in which check finds nothing wrong', async (t) => {
  const dataDir = await dataFolder(t);
  await rm(join(dataDir, 'archive.sqlite'));
  const { code, lines } = await printed(rebuildIndex, dataDir);
  assert.equal(code, 0);
  assert.match(lines[0] ?? '', /^1 segments, \d+ bytes\.$/);
  assert.equal((await printed(check, dataDir)).code, 0);
});

test('with --json a command prints one object with its exit code, its messages and what it found', async (t) => {
  const dataDir = await dataFolder(t);
  const answer = async (...words: [string, ...string[]]) => {
    const lines: string[] = [];
    const [name, ...args] = words;
    const code = await runCommand(name, args, { VIDETTE_DATA: dataDir }, (line) => void lines.push(line));
    assert.equal(lines.length, 1);
    return { code, told: JSON.parse(lines[0] ?? '') as Record<string, unknown> };
  };
  assert.deepEqual(await answer('check', '--json'), {
    code: 0,
    told: { exitCode: 0, messages: ['The archive is in order.'], findings: [] },
  });
  const stray = join(dataDir, 'archive', 'cam1', '2026-11-20', '23-00-00.000.mp4');
  await writeFile(stray, 'mine');
  const { code, told } = await answer('check', '--json');
  assert.equal(code, 1);
  assert.deepEqual(told['findings'], [{ invariant: 2, text: `${stray} has no row` }]);
  await rm(stray);
  await rm(join(dataDir, 'archive.sqlite'));
  assert.deepEqual((await answer('check', '--json')).told, {
    exitCode: 1,
    messages: [`There is no archive in ${dataDir}.`],
  });
  const rebuilt = await answer('rebuild-index', '--json');
  assert.deepEqual(
    [rebuilt.told['segments'], rebuilt.told['leftOut'], rebuilt.told['previousCatalog']],
    [1, [], null],
  );
});
