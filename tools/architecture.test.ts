import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceFiles } from './import-graph.mjs';
import { importTable } from './import-rules.mjs';

const root = join(import.meta.dirname, '..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

test('the import table is that of the import rules', () => {
  const [table = ''] = /^\| folder [\s\S]*?\n(?=\n)/m.exec(text) ?? [];
  assert.equal(table, importTable(), 'print it with: node tools/import-rules.mjs --table');
});

test('each module of the server has a paragraph', () => {
  const described = [...text.matchAll(/^\*\*`server\/src\/([\w-]+)`\*\*/gm)].map(([, name]) => name);
  const modules = sourceFiles().flatMap((path) => /^server\/src\/([\w-]+)\//.exec(path)?.[1] ?? []);
  assert.deepEqual(new Set(described), new Set(modules));
});

test('each part of the page has a paragraph', () => {
  const [, paragraph = ''] = /^\*\*`ui\/src`\*\*([\s\S]*?)\n\n/m.exec(text) ?? [];
  const described = [...paragraph.matchAll(/`([\w-]+)\/(?:<x>\/)?`/g)].map(([, name]) => name);
  const parts = sourceFiles().flatMap((path) => /^ui\/src\/([\w-]+)\//.exec(path)?.[1] ?? []);
  assert.deepEqual(new Set(described), new Set(parts));
});

test('every file mentioned in a walk exists', () => {
  const [, walks = ''] = text.split('## Three walks');
  const paths = [...walks.matchAll(/`((?:[\w-]+\/)+[\w-]+\.tsx?)`/g)].map(([, path = '']) => path);
  assert.ok(paths.length > 20);
  for (const path of paths)
    assert.ok(existsSync(join(root, path)) || existsSync(join(root, 'server/src', path)), path);
});
