import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runIdIn } from './run-id.ts';

test('[R10.8] fronts of one run of the server have the same id, even after one that was killed while it stored it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-run-'));
  try {
    const id = runIdIn(folder);
    assert.equal(runIdIn(folder), id);
    await writeFile(join(folder, 'run-id'), '');
    const next = runIdIn(folder);
    assert.notEqual(next, id);
    assert.equal(runIdIn(folder), next);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
