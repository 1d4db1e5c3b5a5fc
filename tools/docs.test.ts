import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { catalogue } from '@vidette/contract/errors';
import { environmentKeys } from '../server/src/config/environment.ts';
import { isLive } from '../server/src/config/live-keys.ts';

const root = join(import.meta.dirname, '..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(root, page)));

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The anchor of a heading, as the usual renderers generate it. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

test('every link between documents has a target', () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, link = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      const isThere = existsSync(join(root, target));
      const hasAnchor = anchor === undefined || (isThere && anchorsOf(textOf(target)).includes(anchor));
      if (!isThere || !hasAnchor) broken.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('the guide explains every code of the catalogue, and no others', () => {
  const table = textOf('guide/troubleshoot.md').split('## What the codes mean')[1] ?? '';
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  const explained = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
  assert.deepEqual(explained.sort(), Object.keys(catalogue).sort());
});

test('the guide lists the keys that take effect immediately', () => {
  const [, list = ''] =
    /These take effect immediately;([\s\S]*?)\n\n/.exec(textOf('guide/configure.md')) ?? [];
  const named = [...list.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
  for (const { path } of environmentKeys) {
    const key = path.join('.');
    const isNamed = named.includes(key) || (path.length > 1 && named.includes(path[0] ?? ''));
    assert.equal(isNamed, isLive(key), key);
  }
});

test('[R10.10] the guide lists every metric, and no others', () => {
  const names = (text: string) =>
    [...new Set([...text.matchAll(/\bvidette_[a-z_]+[a-z]/g)].map(([name]) => name))].sort();
  assert.deepEqual(names(textOf('guide/monitoring.md')), names(textOf('server/src/statistics/metrics.ts')));
});
