import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const preload = new URL('end-of-tests.mjs', import.meta.url).href;

/** The exit code and the output of a test file with this content. */
async function runFile(t: TestContext, text: string): Promise<{ code: number; stdout: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-end-of-tests-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'some.test.mjs');
  await writeFile(file, `import { test } from 'node:test';\n${text}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', preload, '--test-reporter', 'tap', file],
      { env, maxBuffer: 1 << 26 },
      (_error, stdout) => resolve({ code: child.exitCode ?? -1, stdout }),
    );
  });
}

test('a file that leaves a timer behind ends, and its output contains every result', async (t) => {
  const { stdout } = await runFile(
    t,
    `setInterval(() => {}, 1000);
     for (let index = 0; index < 2000; index++) test('one of many tests, number ' + index, () => {});
     test('the last one', () => { throw new Error('fails'); });`,
  );
  assert.equal(stdout.match(/^ok /gm)?.length, 2000);
  assert.match(stdout, /^not ok 2001 - the last one$/m);
});

test('a file that leaves a timer behind ends after its hooks have closed what it opened, however long that takes', async (t) => {
  const { code, stdout } = await runFile(
    t,
    `import { after } from 'node:test';
     let turns = 0;
     let close;
     setInterval(() => ++turns === 12 && close?.(), 100);
     after(async () => {
       turns = 0;
       await new Promise((resolve) => (close = resolve));
       console.log('all is closed');
     });
     test('passes', () => {});`,
  );
  assert.match(stdout, /all is closed/);
  assert.equal(code, 0);
});

test('a file that ends in the middle of its tests fails', async (t) => {
  const { code } = await runFile(
    t,
    `test('ends the process', () => process.exit(0)); test('never runs', () => {});`,
  );
  assert.equal(code, 1);
});

test('a file that passes ends with code 0', async (t) => {
  const { code } = await runFile(t, `test('passes', () => {});`);
  assert.equal(code, 0);
});
