import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineNumbers, enginesFor } from './engine-count.ts';

test('one engine takes fifty streams, and no machine has more engines than cores', () => {
  assert.equal(enginesFor(0, 16), 1);
  assert.equal(enginesFor(50, 16), 1);
  assert.equal(enginesFor(51, 16), 2);
  assert.equal(enginesFor(10_000, 16), 16);
  assert.equal(enginesFor(10_000, 1), 1);
});

test('auto counts the folders of recorded streams; without any there is one engine, which waits for the first', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-engine-count-'));
  try {
    const config = {
      engine: { processes: 'auto' as const },
      dataDir,
      archive: { folder: 'footage' } as never,
    };
    assert.deepEqual(await engineNumbers(config), { engines: 1, areDormant: true });
    await mkdir(join(dataDir, 'footage'));
    await writeFile(join(dataDir, 'footage', 'marker'), '');
    for (let stream = 0; stream < 51; stream++) await mkdir(join(dataDir, 'footage', `stream-${stream}`));
    const engines = enginesFor(51, availableParallelism());
    assert.deepEqual(await engineNumbers(config), { engines, areDormant: false });
    for (const processes of [0, 3]) {
      const numbers = await engineNumbers({
        ...config,
        engine: { processes },
        dataDir: join(dataDir, 'new'),
      });
      assert.deepEqual(numbers, { engines: processes, areDormant: false });
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
