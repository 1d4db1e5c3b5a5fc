import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesIn } from './import-graph.mjs';
import { privateImports, serverModules } from './import-rules.mjs';

const importing = (path: string, ...targets: string[]) =>
  privateImports({
    path: `server/src/${path}`,
    imports: targets.map((target) => ({ target: `server/src/${target}`, isType: false })),
  });

test('data flows one way through the modules of the server', () => {
  const modules: Record<string, readonly string[]> = serverModules;
  assert.deepEqual(
    circlesIn(new Map(Object.entries(modules).map(([name, others]) => [name, new Set(others)]))),
    [],
  );
});

test('a package of the archive is imported by its face only, by its siblings too', () => {
  assert.deepEqual(importing('http/statistics.ts', 'archive/archive.ts', 'archive/read/read.ts'), []);
  assert.deepEqual(importing('archive/read/extent.ts', 'archive/catalog/catalog.ts'), []);
  for (const path of ['http/statistics.ts', 'archive/archive.ts', 'archive/read/extent.ts'])
    assert.deepEqual(importing(path, 'archive/catalog/catalog-reads.ts'), [
      'imports server/src/archive/catalog/catalog-reads.ts, not server/src/archive/catalog/catalog.ts',
    ]);
  assert.deepEqual(importing('http/statistics.ts', 'archive/archive-options.ts'), [
    'imports server/src/archive/archive-options.ts, not server/src/archive/archive.ts',
  ]);
});

test('files of one package import each other, and modules without a face are open', () => {
  assert.deepEqual(importing('archive/catalog/catalog-writer.ts', 'archive/catalog/catalog-reads.ts'), []);
  assert.deepEqual(importing('archive/archive.ts', 'archive/archive-options.ts'), []);
  assert.deepEqual(importing('http/statistics.ts', 'store/streams.ts'), []);
});
