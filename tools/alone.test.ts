import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { patternOf, titlesOf } from './alone.mjs';

const reported = (name: string, nesting = 0, isSuite = false) => ({ name, nesting, isSuite });

test('the tests of a suite have its title before their own, and subtests are part of their test', () => {
  assert.deepEqual(
    titlesOf([
      reported('first'),
      reported('step', 1),
      reported('outer test'),
      reported('deep', 2),
      reported('inner', 1, true),
      reported('flat', 1),
      reported('outer', 0, true),
      reported('first'),
    ]),
    ['first', 'outer test', 'outer inner deep', 'outer flat'],
  );
});

test('a title is matched literally, even with special characters of patterns', () => {
  const title = "[R4.8] /ui/ (once) costs 2+2? don't. 50 % – «да»";
  assert.ok(patternOf(title).test(title));
  assert.ok(!patternOf('a test').test('a test more'));
  assert.ok(!patternOf('a.b').test('a-b'));
});

test('a test that depends on another one is named, and the others pass', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-alone-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'some.test.mjs');
  await writeFile(
    file,
    `import { describe, test } from 'node:test';
     let made = 0;
     test('makes (one)', () => { made++; });
     describe('later', () => {
       test('needs it', () => { if (made === 0) throw new Error('needs more', { cause: new Error('nothing was made') }); });
       test('needs nothing', () => {});
     });`,
  );
  const script = join(folder, 'run.mjs');
  await writeFile(
    script,
    `
    import { runAlone, runTestFile } from ${JSON.stringify(import.meta.resolve('./alone.mjs'))};
    const isGood = await runAlone(process.argv.slice(2), runTestFile, (line) => console.log(line));
    process.exitCode = isGood ? 0 : 3;`,
  );
  // A test file can't run another in its own process.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, [script, file], { env }, (error, output) =>
      resolve({ code: error?.code, stdout: output }),
    );
  });
  assert.equal(code, 3, stdout);
  assert.match(stdout, /^FAIL \S+some\.test\.mjs, alone: later needs it\n[^]*nothing was made/);
  assert.equal(stdout.match(/^FAIL/gm)?.length, 1, stdout);
  assert.match(stdout, /\n\n2 passed alone, 1 failed\n$/);
});
