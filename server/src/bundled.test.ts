import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('.', import.meta.url));

test('[R16.1] a program runs from its bundle while that is complete and no source is newer, and otherwise from the sources', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-bundled-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), 1_000, 1_000);
  };
  write('package.json', '{ "type": "module" }');
  for (const file of ['main.ts', 'bundled.ts', 'program.ts']) {
    write(`server/src/${file}`, '');
    cpSync(join(own, file), join(folder, 'server/src', file));
    utimesSync(join(folder, 'server/src', file), 1_000, 1_000);
  }
  write('server/src/main-program.ts', 'console.log("sources");');
  write('contract/src/deep/er/wire.ts', '');
  write('media/src/sample.ts', '');
  const ran = () =>
    execFileSync(process.execPath, [join(folder, 'server/src/main.ts')], { encoding: 'utf8' }).trim();
  assert.equal(ran(), 'sources', 'there is no bundle');
  write('server/dist/main.js', 'console.log("bundle");');
  assert.equal(ran(), 'sources', 'it is not complete');
  write('server/dist/.built-from', '');
  assert.equal(ran(), 'bundle');
  write('server/src/copied-later.js', '');
  utimesSync(join(folder, 'server/src/copied-later.js'), 2_000, 2_000);
  assert.equal(ran(), 'bundle', 'the files of a release may have any times');
  utimesSync(join(folder, 'contract/src/deep/er/wire.ts'), 2_000, 2_000);
  assert.equal(ran(), 'sources', 'a source was changed since');
});
