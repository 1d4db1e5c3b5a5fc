import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ConfigStore } from '../config/config-store.ts';
import { parseConfig } from '../config/load.ts';
import { newAuditNote } from './audit-note-fixture.ts';
import { ConfigurationService } from './configuration-service.ts';

/** A server with this `vidette.yaml`. */
async function scene(t: TestContext, text = '') {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-configuration-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const file = join(dataDir, 'vidette.yaml');
  await writeFile(file, text);
  const configStore = new ConfigStore({ ...parseConfig(text, {}, file), dataDir }, {});
  return { file, service: new ConfigurationService({ configStore }), note: newAuditNote() };
}

test('[R7.46] the log has the keys that changed with their values before and after', async (t) => {
  const { service, note } = await scene(t, 'smtp:\n  host: old.example.org\n');
  const values = { smtp: { host: 'new.example.org', port: 25 }, log: { level: 'info' } };
  assert.equal(await service.save(values, note), false);
  assert.deepEqual(note.details, {
    keys: ['smtp.host', 'smtp.port'],
    changes: { 'smtp.host': ['old.example.org', 'new.example.org'], 'smtp.port': [587, 25] },
  });
});

test('[R7.46] of a secret the log says only that it changed, and of one that comes back masked nothing', async (t) => {
  const { file, service, note } = await scene(t, 'smtp:\n  password: first secret\n');
  const shown = (await service.view()).values['smtp'] as { password: string };
  assert.equal(shown.password, '***');
  await service.save({ smtp: { password: shown.password } }, note);
  assert.deepEqual(note.details, { keys: [], changes: {} });
  await service.save({ smtp: { password: 'second secret' } }, note);
  assert.deepEqual(note.details, { keys: ['smtp.password'], changes: { 'smtp.password': ['***', '***'] } });
  assert.match(await readFile(file, 'utf8'), /second secret/);
});

test('[R7.46] a save says whether a restart is due; one that is refused is noted with no change', async (t) => {
  const { service, note } = await scene(t);
  assert.equal(await service.save({ port: 8443 }, note), true);
  const refused = newAuditNote();
  await assert.rejects(service.save({ smtp: { port: 'high' } }, refused), { code: 'ValidationError' });
  assert.deepEqual(refused.details, {});
});
