import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { circleBreaches } from './circles.mjs';
import { circlesIn, folderGraph, specifiersOf, targetOf, withoutEdges } from './import-graph.mjs';

/** A graph from `from -> to` pairs. */
function graphOf(...edges: [string, string][]) {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
    if (!graph.has(to)) graph.set(to, new Set());
  }
  return graph;
}

test('every kind of import counts, including type imports', () => {
  const text = [
    "import type { A } from './a.ts';",
    "import { b, type C } from './b.ts';",
    "export { d } from './d.ts';",
    "export * from './e.ts';",
    "import './f.css';",
    "const g = await import('./g.ts');",
    'const h = await import(name);',
    "// import './no.ts'",
  ].join('\n');
  assert.deepEqual(specifiersOf('x/y.ts', text), [
    './a.ts',
    './b.ts',
    './f.css',
    './d.ts',
    './e.ts',
    './g.ts',
  ]);
});

test('a specifier refers to a file below the root or to a package', () => {
  assert.equal(targetOf('ui/src/app/app.tsx', '../routing/router.ts'), 'ui/src/routing/router.ts');
  assert.equal(targetOf('ui/src/app/app.tsx', '@vidette/contract/calls'), 'contract/src/calls.ts');
  assert.equal(targetOf('ui/src/app/app.tsx', 'react'), 'react');
});

test('circles are found, however long, and nothing else', () => {
  assert.deepEqual(circlesIn(graphOf(['a', 'b'], ['b', 'c'], ['a', 'c'])), []);
  assert.deepEqual(
    circlesIn(graphOf(['a', 'b'], ['b', 'c'], ['c', 'a'], ['c', 'd'], ['e', 'd'], ['d', 'f'], ['f', 'd'])),
    [
      ['d', 'f'],
      ['a', 'b', 'c'],
    ],
  );
});

test('folders can be circular without circular files', () => {
  const files = graphOf(['a/one.ts', 'b/one.ts'], ['b/two.ts', 'a/two.ts']);
  assert.deepEqual(circlesIn(files), []);
  assert.deepEqual(circlesIn(folderGraph(files)), [['a', 'b']]);
});

test('an allowed import breaks its circle, `**` those of all folders below', () => {
  const folders = graphOf(['a', 'b'], ['b', 'a'], ['b/c', 'a'], ['a', 'b/c']);
  assert.deepEqual(circlesIn(withoutEdges(folders, [{ from: 'b', to: 'a' }])), [['a', 'b/c']]);
  assert.deepEqual(circlesIn(withoutEdges(folders, [{ from: 'b/**', to: 'a' }])), [['a', 'b']]);
});

test('a circle is a violation, and so is an allowed import that breaks none', () => {
  const allowed = [{ from: 'b', to: 'a', because: 'it is being moved' }];
  const closed = graphOf(['a/one.ts', 'b/one.ts'], ['b/two.ts', 'a/two.ts']);
  assert.deepEqual(circleBreaches(closed, allowed), []);
  assert.deepEqual(circleBreaches(closed, []), ['circular imports between folders: a <-> b']);
  assert.deepEqual(circleBreaches(graphOf(['a/one.ts', 'a/two.ts'], ['a/two.ts', 'a/one.ts']), []), [
    'circular imports between files: a/one.ts <-> a/two.ts',
  ]);
  assert.match(circleBreaches(graphOf(['a/one.ts', 'b/one.ts']), allowed).join(), /^b -> a breaks no circle/);
});
