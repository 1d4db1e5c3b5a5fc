import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, fieldsOf, sectionsOf, textsOf, type ConfigSchema } from './config-fields.ts';

const schema: ConfigSchema = {
  type: 'object',
  properties: {
    archive: {
      type: 'object',
      properties: {
        folder: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        warnPercent: { type: 'number', minimum: 1, maximum: 100, default: 95 },
      },
    },
    port: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    log: { type: 'object', properties: { level: { type: 'string', enum: ['info', 'warn'] } } },
    trust: { type: 'boolean' },
    places: { type: 'array', items: { type: 'string' } },
    relays: { type: 'array', items: { type: 'object', properties: { host: { type: 'string' } } } },
  },
};
const fields = fieldsOf(schema);
const before = textsOf(fields, {
  archive: { folder: null, warnPercent: 95 },
  port: 8080,
  log: { level: 'info' },
  trust: false,
  places: ['RU', 'EU'],
});

test('[R7.46] a schema is split into fields, each with its type and bounds', () => {
  assert.deepEqual(
    fields.map(({ key, kind, isNullable }) => [key, kind, isNullable]),
    [
      ['archive.folder', 'text', true],
      ['archive.warnPercent', 'number', false],
      ['port', 'number', false],
      ['log.level', 'choice', false],
      ['trust', 'switch', false],
      ['places', 'list', false],
    ],
  );
  assert.deepEqual([fields[2]?.minimum, fields[2]?.maximum], [0, undefined]);
  assert.equal(fields[1]?.defaultText, '95');
  assert.deepEqual(
    sectionsOf(fields).map(([name, own]) => [name, own.length]),
    [
      ['', 3],
      ['archive', 2],
      ['log', 1],
    ],
  );
});

test('only changes are sent, as values of the right type', () => {
  assert.equal(before['places'], 'RU, EU');
  assert.deepEqual(changesOf(fields, before, before), {});
  assert.deepEqual(
    changesOf(
      fields,
      { ...before, 'archive.folder': '/video', 'archive.warnPercent': '90', trust: 'true', places: 'RU,' },
      before,
    ),
    { archive: { folder: '/video', warnPercent: 90 }, trust: true, places: ['RU'] },
  );
  assert.deepEqual(
    changesOf(fields, { ...before, 'archive.folder': '' }, { ...before, 'archive.folder': '/a' }),
    {
      archive: { folder: null },
    },
  );
  assert.deepEqual(changesOf(fields, { ...before, port: 'many' }, before), { port: 'many' });
});
