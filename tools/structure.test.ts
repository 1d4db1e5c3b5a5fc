import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { findingsIn, structureBreaches } from './structure.mjs';

/** The findings in one file, as `name measure value`. */
const found = (text: string, others: Record<string, string> = {}) =>
  findingsIn(new Map(Object.entries({ 'a/one.ts': text, ...others })))
    .filter(({ path }) => path === 'a/one.ts')
    .map(({ name, measure, value }) => `${name} ${measure} ${value}`);

const lines = (count: number) => Array.from({ length: count }, (_, at) => `  f(${at});`).join('\n');

test('a function has at most 60 lines, counted from its first to its last', () => {
  assert.deepEqual(found(`function fits() {\n${lines(58)}\n}`), []);
  assert.deepEqual(found(`function grows() {\n${lines(59)}\n}`), ['grows lines 61']);
});

test('methods, arrow functions and callbacks are named after their enclosing declarations', () => {
  const body = `{\n${lines(60)}\n}`;
  assert.deepEqual(found(`class A { #b() ${body} }`), ['A.#b lines 62']);
  assert.deepEqual(found(`const c = () => ${body};`), ['c lines 62']);
  assert.deepEqual(found(`const t = { d: () => ${body} };`), ['d lines 62']);
  assert.deepEqual(found(`function outer() { return g(() => ${body}); }`), [
    'outer lines 62',
    'outer.callback lines 62',
  ]);
});

test('a class has at most 20 public methods; private ones and its constructor do not count', () => {
  const methods = (count: number, sign = '') =>
    Array.from({ length: count }, (_, at) => `${sign}m${at}() {}`).join('\n');
  assert.deepEqual(found(`class A { constructor() {}\n${methods(20)}\n${methods(5, '#')} }`), []);
  assert.deepEqual(found(`class A {\n${methods(20)}\nreadonly more = () => 1; }`), ['A methods 21']);
});

test('a class has at most 12 fields, private ones included', () => {
  const fields = Array.from({ length: 12 }, (_, at) => `#f${at} = 0;`).join('\n');
  assert.deepEqual(found(`class A { ${fields} readonly run = () => 1; }`), []);
  assert.deepEqual(found(`class A { ${fields} readonly g: number; }`), ['A fields 13']);
});

test('a constructor takes at most 8 collaborators, including those in its options, excluding values', () => {
  const parameters = (count: number) => Array.from({ length: count }, (_, at) => `p${at}: P${at}`).join(', ');
  assert.deepEqual(found(`class A { constructor(${parameters(8)}, n: number, a: Uint8Array) {} }`), []);
  assert.deepEqual(found(`class A { constructor(${parameters(9)}) {} }`), ['A collaborators 9']);
  const members = Array.from({ length: 9 }, (_, at) => `readonly m${at}: M${at};`).join('\n');
  const options = `export interface AOptions { ${members} readonly limitMs: number; onEnd(): void; }`;
  assert.deepEqual(found(`${options}\nclass A { constructor(options: AOptions) {} }`), ['A collaborators 9']);
  assert.deepEqual(
    found(`import type { AOptions } from './two.ts';\nclass A { constructor(options: AOptions) {} }`, {
      'a/two.ts': options,
    }),
    ['A collaborators 9'],
  );
  assert.deepEqual(
    found(`import type { AOptions } from './b/b.ts';\nclass A { constructor(options: AOptions) {} }`, {
      'a/b/b.ts': `export type { AOptions } from './two.ts';`,
      'a/b/two.ts': options,
    }),
    ['A collaborators 9'],
    'through the face of a folder',
  );
});

test('a part over a limit is a violation, and so is an unnecessary exception', () => {
  const finding = { path: 'a/one.ts', name: 'grows', measure: 'lines', value: 61 } as const;
  const exception = { measure: 'lines', because: 'it is a table', parts: ['a/one.ts grows'] } as const;
  assert.deepEqual(structureBreaches([finding], [exception]), []);
  assert.deepEqual(structureBreaches([finding], []), ['a/one.ts grows has 61 lines, at most 60']);
  assert.match(
    structureBreaches([], [exception]).join(),
    /^lines a\/one\.ts grows is an unnecessary exception/,
  );
});
