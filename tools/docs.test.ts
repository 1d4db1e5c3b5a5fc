import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { catalogue } from '@vidette/contract/errors';
import { CATALOG_VERSION } from '../server/src/archive/version/version.ts';
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

test('the policy of support names the version of the footage format', () => {
  const named = new RegExp(`archive\\.sqlite. has version ${CATALOG_VERSION}\\b`);
  assert.match(textOf('SUPPORT.md'), named);
});

test('[R10.10] the guide lists every metric, and no others', () => {
  const names = (text: string) =>
    [...new Set([...text.matchAll(/\bvidette_[a-z_]+[a-z]/g)].map(([name]) => name))].sort();
  assert.deepEqual(names(textOf('guide/monitoring.md')), names(textOf('server/src/statistics/metrics.ts')));
});

test('every proof in the comparison exists: the test with that requirement in a title, or the benchmark', () => {
  const rows = textOf('guide/why.md')
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line));
  assert.ok(rows.length > 15);
  for (const row of rows) {
    const proof = row.split('|')[2] ?? '';
    const tests = [...proof.matchAll(/`([\w/-]+\.test\.ts)` (R\d+\.\d+)/g)];
    const benches = [...proof.matchAll(/`bench ([\w-]+)`/g)];
    assert.ok(tests.length + benches.length > 0, row);
    for (const [, file = '', requirement = ''] of tests)
      assert.match(textOf(file), new RegExp(`'.*\\b${requirement.replace('.', '\\.')}\\b.*'`), row);
    for (const [, bench = ''] of benches) assert.ok(existsSync(join(root, `bench/${bench}.ts`)), row);
  }
});

test('the figures of the sizing page are those of the measurements, and its disk space adds up', () => {
  const lines = textOf('guide/sizing.md').split('\n');
  const numbers = (text: string) => [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => number);
  const measured = lines.filter((line) => line.includes('](../design/'));
  assert.ok(measured.length > 10);
  for (const line of measured) {
    const [, , figure = '', link = ''] = line.split('|');
    const source = textOf(join('guide', /\((\S+)\)/.exec(link)?.[1] ?? '')).split('\n');
    const isIn = (number: string, text: string) =>
      new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}(?![\\d.]*\\d)`).test(text);
    // Of one measurement: in one line.
    assert.ok(
      source.some((text) => numbers(figure).every((number) => isIn(number, text))),
      line,
    );
  }
  const disks = lines.filter((line) => line.includes('Mbit/s') && line.includes('TB'));
  assert.equal(disks.length, 4);
  for (const line of disks) {
    const [rate = 0, dayGb = 0, monthGb = 0, allTb = 0] = numbers(line).map(Number);
    assert.equal(dayGb, (rate * 86_400) / 8 / 1_000, line);
    assert.equal(monthGb, Math.round(dayGb * 30), line);
    assert.equal(allTb, Number(((monthGb * 16) / 1_000).toFixed(1)), line);
  }
});
