import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { laterCalls } from './later.ts';

test('the CHANGELOG lists every call that is declared but not there yet, under its code, and no other', async () => {
  const text = await readFile(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
  const section = text.split('### Declared, not there yet')[1]?.split('\n#')[0] ?? '';
  const listed: Record<string, string> = {};
  for (const item of section.split('\n- ').slice(1)) {
    const [code = '', ...names] = Array.from(item.matchAll(/`(\w+)`/g), (match) => match[1] ?? '');
    for (const name of names) listed[name] = code;
  }
  assert.deepEqual(listed, laterCalls);
});
