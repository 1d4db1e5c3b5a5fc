import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertReplaceable } from './program-facts.ts';
import { programIn } from './server-program.ts';

test('a program is refused whose catalog the running engines do not know, also in their own folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-facts-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'server/src'), { recursive: true });
  /** As a package does it: the folder stays, its files change. */
  const install = async (facts: object) => {
    await writeFile(join(folder, 'package.json'), '{"name":"vidette","version":"2.0.0"}');
    await writeFile(join(folder, 'server/src/main.js'), `console.log('${JSON.stringify(facts)}')`);
    return programIn(folder);
  };
  const running = { version: '1.0.0', catalog: 4, catalogFrom: 4 };
  const compatible = { version: '2.0.0', catalog: 5, catalogFrom: 4 };
  assert.deepEqual(await assertReplaceable(running, await install(compatible)), compatible);
  const newer = await install({ version: '2.0.0', catalog: 5, catalogFrom: 5 });
  await assert.rejects(assertReplaceable(running, newer), /stop the server and start the new version/);
  const older = await install({ version: '0.9.0', catalog: 3, catalogFrom: 3 });
  await assert.rejects(assertReplaceable(running, older), /another format of the archive's catalog/);
  await writeFile(join(folder, 'server/src/main.js'), 'process.exit(1)');
  await assert.rejects(assertReplaceable(running, programIn(folder)), /does not run/);
});
