import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { calls } from '@vidette/contract/calls';
import { limits } from '@vidette/contract/constants';
import type { CallName } from '@vidette/contract/routes';
import { Fault } from '../base/fault.ts';
import { bodyOf } from './failure.ts';
import { validationFault, wordings } from './field-errors.ts';
import { readJson } from './json-body.ts';
import { worthJudging } from './judged.ts';

function codeOf(text: string): string {
  try {
    readJson(Buffer.from(text));
    return 'read';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

test('a body of a shape that no call accepts is refused before it is parsed', () => {
  assert.equal(codeOf('['.repeat(500_000)), 'BadRequest');
  assert.equal(codeOf(`${'['.repeat(200)}${']'.repeat(200)}`), 'BadRequest');
  assert.equal(codeOf(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`), 'BadRequest');
  assert.equal(
    codeOf(`{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join()}}`),
    'BadRequest',
  );
  assert.equal(codeOf(`[${'1,'.repeat(60_000)}1]`), 'BadRequest');
  assert.equal(codeOf(`{"items":[${'{},'.repeat(300_000)}{}]}`), 'BadRequest');
  assert.equal(codeOf('{"a":'), 'RequestDecodeError');
  assert.equal(codeOf('"[[[[["'), 'read');
  assert.equal(codeOf(String.raw`{"a\"[[[":"\\","b":[{},{"c":[1,2,3]}]}`), 'read');
});

test('the longest allowed list is read, and one with one more row, so that the schema names the list', () => {
  const rows = (count: number) =>
    `{"items":[${Array.from({ length: count }, (_, index) => `{"user":"u${index}","view":true,"edit":false}`).join()}]}`;
  assert.equal(codeOf(rows(limits.permissionRowsMax)), 'read');
  assert.equal(codeOf(rows(limits.permissionRowsMax + 1)), 'read');
});

/** The server's answer to a body. */
function answerTo(name: CallName, body: unknown, language: 'en' | 'ru' = 'en') {
  const schema = (calls[name] as { body: z.ZodType }).body;
  const judged = worthJudging(schema, body);
  const result = schema.safeParse(judged, { error: wordings[language] });
  return result.success ? undefined : bodyOf(validationFault(name, result.error, language), language);
}

test('an answer to bad input is bounded, whatever is wrong', () => {
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]));
  const longKey = { [`k${'x'.repeat(100_000)}`]: 1 };
  const wrongRows = {
    items: Array.from({ length: 10_000 }, () => ({ user: 1, view: 2, share: 3, ...longKey })),
  };
  for (const language of ['en', 'ru'] as const) {
    for (const [name, body] of [
      ['signIn', keys],
      ['signIn', longKey],
      ['signIn', { name: 'x'.repeat(1_000_000), password: 7 }],
      ['addStream', { name: 1, tags: Array.from({ length: 9_000 }, () => 7), archive: keys, live: longKey }],
      ['saveStreamPermissions', wrongRows],
      ['saveUserPermissions', { items: Array.from({ length: 10_001 }, () => null) }],
      ['addMosaic', { name: 'x', layout: { cells: Array.from({ length: 9_000 }, () => ({})) } }],
    ] as const) {
      const answer = answerTo(name, body, language);
      assert.ok(answer?.fields && answer.fields.length > 0, name);
      assert.ok(answer.fields.length <= 50, name);
      assert.ok(JSON.stringify(answer).length < 40_000, `${name}: ${JSON.stringify(answer).length}`);
    }
  }
});

test('an invalid value is validated only far enough to show the error, a valid one completely', () => {
  const schema = calls.saveStreamPermissions.body;
  const row = (index: number) => ({ user: `u${index}`, view: true });
  const rows = Array.from({ length: 10_000 }, (_, index) => row(index));
  assert.deepEqual(worthJudging(schema, { items: rows }), { items: rows });
  const wrong = { items: Array.from({ length: 10_000 }, () => ({})) };
  assert.equal((worthJudging(schema, wrong) as typeof wrong).items.length, 20);
  const late = { items: [...rows.slice(0, 9_999), { user: 7 }] };
  const answer = answerTo('saveStreamPermissions', late);
  assert.deepEqual(
    answer?.fields?.map(({ path }) => path),
    ['items.9999.user'],
  );
  const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, 1]));
  assert.equal(Object.keys(worthJudging(calls.signIn.body, { name: 'a', ...unknown }) as object).length, 21);
  assert.deepEqual(
    worthJudging(calls.signIn.body, JSON.parse('{"__proto__":1,"constructor":2}')),
    JSON.parse('{"__proto__":1,"constructor":2}'),
  );
});
