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
  const configStore = new ConfigStore({ ...(await parseConfig(text, {}, file)), dataDir }, {});
  return { file, service: new ConfigurationService({ configStore }), note: newAuditNote() };
}

test('[R7.46] the log contains the changed keys with their old and new values', async (t) => {
  const { service, note } = await scene(t, 'smtp:\n  host: old.example.org\n');
  const values = { smtp: { host: 'new.example.org', port: 25 }, log: { level: 'info' } };
  assert.equal(await service.save(values, note), false);
  assert.deepEqual(note.details, {
    keys: ['smtp.host', 'smtp.port'],
    changes: { 'smtp.host': ['old.example.org', 'new.example.org'], 'smtp.port': [587, 25] },
  });
});

test('[R7.46] for a secret the log contains only the fact that it changed, and nothing for one sent back masked', async (t) => {
  const { file, service, note } = await scene(t, 'smtp:\n  password: first secret\n');
  const shown = (await service.view()).values['smtp'] as { password: string };
  assert.equal(shown.password, '***');
  await service.save({ smtp: { password: shown.password } }, note);
  assert.deepEqual(note.details, { keys: [], changes: {} });
  await service.save({ smtp: { password: 'second secret' } }, note);
  assert.deepEqual(note.details, { keys: ['smtp.password'], changes: { 'smtp.password': ['***', '***'] } });
  assert.match(await readFile(file, 'utf8'), /second secret/);
});

test('[R7.46] a save reports whether a restart is needed; a refused one is logged without changes', async (t) => {
  const { service, note } = await scene(t);
  assert.equal(await service.save({ port: 8443 }, note), true);
  const refused = newAuditNote();
  await assert.rejects(service.save({ smtp: { port: 'high' } }, refused), { code: 'ValidationError' });
  assert.deepEqual(refused.details, {});
});
