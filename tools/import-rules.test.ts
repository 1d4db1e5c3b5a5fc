import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { circlesIn, sourceFiles } from './import-graph.mjs';
import {
  breachesOf,
  decidingRoutes,
  featureParts,
  pageParts,
  privateImports,
  serverModules,
  siblingRoutes,
} from './import-rules.mjs';
import { root } from './install.mjs';

const importing = (path: string, ...targets: string[]) =>
  privateImports({
    path: `server/src/${path}`,
    imports: targets.map((target) => ({
      target: `server/src/${target}`,
      isType: false,
    })),
  });

const circlesOf = (parts: Record<string, readonly string[]>) =>
  circlesIn(new Map(Object.entries(parts).map(([name, others]) => [name, new Set(others)])));

/** The violations of a file below `ui/src` with this content, without their reasons. */
const onPage = (path: string, text: string) =>
  breachesOf(`ui/src/${path}`, text).map((line) => line.replace(/ \(because .*/, ''));

test('data flows one way through the modules of the server', () => {
  assert.deepEqual(circlesOf(serverModules), []);
});

test('a package of the archive is imported only through its public face, even by its siblings', () => {
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

test('files of one package may import each other, and modules without a public face are open', () => {
  assert.deepEqual(importing('archive/catalog/catalog-writer.ts', 'archive/catalog/catalog-reads.ts'), []);
  assert.deepEqual(importing('archive/archive.ts', 'archive/archive-options.ts'), []);
  assert.deepEqual(importing('http/statistics.ts', 'store/streams.ts'), []);
});

test('the parts of the page are layers, and so are its features, and every folder belongs to one of them', () => {
  assert.deepEqual(circlesOf(pageParts), []);
  assert.deepEqual(circlesOf(featureParts), []);
  const folders = (pattern: RegExp) =>
    new Set(sourceFiles().flatMap((path) => pattern.exec(path)?.[1] ?? []));
  assert.deepEqual(folders(/^ui\/src\/([^/]+)\//), new Set([...Object.keys(pageParts), 'app']));
  const features = folders(/^ui\/src\/features\/([^/]+)\//);
  for (const name of Object.entries(featureParts).flat(2)) assert.ok(features.has(name), name);
});

test('routing imports no screen, and no other part of the page', () => {
  assert.deepEqual(onPage('routing/router.ts', `import { hrefOf } from './location.ts';`), []);
  for (const target of ['features/streams/list/streams.tsx', 'app/screens.ts', 'page/title.ts'])
    assert.deepEqual(onPage('routing/react/link.tsx', `import { x } from '../../${target}';`), [
      `imports ui/src/${target}`,
    ]);
});

test('a layer imports no layer above it, whether it imports a value, a type, a style or on demand', () => {
  const target = 'features/stream-view/viewer.ts';
  for (const text of [
    `import { Viewer } from '../${target}';`,
    `import type { Viewer } from '../${target}';`,
    `import {\n  Viewer,\n} from '../${target}';`,
    `export { Viewer } from '../${target}';\nconst own = 1;`,
    `const load = () => import('../${target}');`,
    `import '../${target}';`,
  ])
    assert.deepEqual(onPage('playback/player.ts', text), [`imports ui/src/${target}`], text);
  assert.deepEqual(
    onPage('components/tip.tsx', `import classes from '../features/streams/stream-tile.module.css';`),
    ['imports ui/src/features/streams/stream-tile.module.css'],
  );
  for (const [path, other] of [
    ['base/clock.ts', 'i18n/i18n.ts'],
    ['timeline/timeline.ts', 'playback/player.ts'],
    ['features/help/help.tsx', 'app/shell.tsx'],
    ['features/help/help.tsx', 'main.tsx'],
    ['share/share-page.ts', 'features/stream-view/viewer.ts'],
  ] as const) {
    const up = '../'.repeat(path.split('/').length - 1);
    assert.deepEqual(onPage(path, `import { x } from '${up}${other}';`), [`imports ui/src/${other}`], path);
  }
});

test('a feature may import the layers below it and the listed features, no others', () => {
  assert.deepEqual(
    onPage(
      'features/mosaics/view/mosaic.tsx',
      `import { Wall } from '../../../playback/wall/wall.ts';
       import { JumpControl } from '../../stream-view/jump-control.tsx';
       import { pageCount } from '../grid/grid.ts';`,
    ),
    [],
  );
  assert.deepEqual(
    onPage('features/streams/list/streams.tsx', `import { x } from '../../mosaics/mosaics-api.ts';`),
    ['imports ui/src/features/mosaics/mosaics-api.ts'],
  );
  // It builds on streams, but may not import what streams may import.
  assert.deepEqual(
    onPage('features/mosaics/mosaics-api.ts', `import { x } from '../exports/exports-api.ts';`),
    ['imports ui/src/features/exports/exports-api.ts'],
  );
});

test('a feature has its own style sheets, separate from a feature that it builds on', () => {
  const styles = (target: string) =>
    onPage('features/rights/rights-editor.tsx', `import classes from '${target}';`);
  assert.deepEqual(styles('./rights.module.css'), []);
  assert.deepEqual(styles('../streams/details/stream.module.css'), [
    'imports the style sheet ui/src/features/streams/details/stream.module.css',
  ]);
});

test('app/ wires every part, and a test may import anything of the page', () => {
  assert.deepEqual(onPage('app/screens.ts', `import { x } from '../features/help/help.tsx';`), []);
  assert.deepEqual(onPage('routing/router.test.ts', `import { x } from '../app/addresses.ts';`), []);
});

test('the page imports neither the server nor Zod, and its cores do not import React', () => {
  assert.deepEqual(onPage('api/api.ts', `import { x } from '../../../server/src/base/clock.ts';`), [
    'imports server/src/base/clock.ts',
  ]);
  const entities = (kind: string) =>
    onPage('api/api.ts', `import ${kind}{ X } from '@vidette/contract/entities';`);
  assert.deepEqual(entities('type '), []);
  assert.deepEqual(entities(''), ['imports contract/src/entities.ts at run time']);
  for (const path of ['routing/router.ts', 'playback/wall/wall.ts', 'timeline/timeline.ts'])
    assert.deepEqual(onPage(path, `import { useState } from 'react';`), ['imports react'], path);
  assert.deepEqual(onPage('playback/react/use-player.ts', `import { useState } from 'react';`), []);
});

test('no row leaves the store: its tables, the query builder and names of columns are refused outside', () => {
  const found = (path: string, text: string) =>
    breachesOf(`server/src/${path}`, text).map((line) => line.replace(/ \(because .*/, ''));
  const code = 'const { node_id } = stream; if (user.is_admin === 1) save({ full_name: name });';
  assert.deepEqual(found('access/principal.ts', code), [
    'names the column node_id',
    'names the column is_admin',
    'names the column full_name',
  ]);
  assert.deepEqual(found('http/users.ts', `import type { UserRow } from '../store/database.ts';`), [
    'imports server/src/store/database.ts',
  ]);
  assert.deepEqual(found('http/routes/users.ts', `import { sql } from 'kysely';`), ['imports kysely']);
  assert.deepEqual(found('store/users.ts', `import { sql } from 'kysely'; ${code}`), []);
  assert.deepEqual(found('http/routes/streams.ts', 'if (query.extend_lease) use(user.isAdmin);'), []);
});

/** The files of calls, streams and the store that contain a word, without tests. */
function filesWith(word: string): string[] {
  const places =
    /^(contract\/src|server\/src\/(http|store|streams)|ui\/src\/features\/streams)\/(?!.*(\.test|-fixture)\.ts)/;
  const isWord = new RegExp(`\\b${word}\\b`);
  return sourceFiles().filter(
    (path) => places.test(path) && isWord.test(readFileSync(join(root, path), 'utf8')),
  );
}

test('a setting of a stream is named where it is stored and on the wire, not in between', () => {
  const stored = ['server/src/store/migrations.ts', 'server/src/store/stream-row.ts'];
  // It is set and read only through the API: each file that names it is a cost of every new setting.
  assert.deepEqual(filesWith('longitude').toSorted(), ['contract/src/entities.ts', ...stored]);
  for (const column of ['location_name', 'is_on_demand', 'is_recorded', 'finds_motion', 'far_after_hours'])
    assert.deepEqual(filesWith(column).toSorted(), stored, column);
});

test('a route file imports no sibling, no store and no executable rule', () => {
  const path = 'server/src/http/routes/users.ts';
  const found = (rule: typeof siblingRoutes, target: string, isType = false, from = path) =>
    rule({ path: from, imports: [{ target: `server/src/${target}`, isType }] });
  assert.deepEqual(found(siblingRoutes, 'http/routes/account.ts', true), [
    'imports its sibling server/src/http/routes/account.ts',
  ]);
  assert.deepEqual(found(siblingRoutes, 'http/credentials.ts'), []);
  assert.deepEqual(found(decidingRoutes, 'store/users.ts', true), ['imports server/src/store/users.ts']);
  assert.deepEqual(found(decidingRoutes, 'access/user-policy.ts'), [
    'imports server/src/access/user-policy.ts',
  ]);
  assert.deepEqual(found(decidingRoutes, 'access/principal.ts', true), []);
  assert.deepEqual(found(decidingRoutes, 'system/audit-changes.ts'), [
    'imports server/src/system/audit-changes.ts',
  ]);
  assert.deepEqual(found(decidingRoutes, 'accounts/user-view.ts'), []);
  assert.deepEqual(found(decidingRoutes, 'http/credentials.ts'), []);
  assert.deepEqual(found(decidingRoutes, 'store/users.ts', false, 'server/src/http/share-page.ts'), []);
});
