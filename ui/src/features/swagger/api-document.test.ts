import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleOf, groupsOf, kindOf, limitsOf, matching, membersOf, type Schema } from './api-document.ts';

const name: Schema = { type: 'string', minLength: 1, maxLength: 200 };
const document = {
  paths: {
    '/v1/stream/{uid}': {
      get: {
        operationId: 'getStream',
        tags: ['stream'],
        summary: 'One stream',
        description: 'Any signed-in user may call it.',
        parameters: [{ name: 'uid', in: 'path', required: true, schema: name }],
        responses: {
          '200': { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
          '404': { description: '`NotFound`: Not found.' },
        },
      },
      delete: {
        operationId: 'deleteStream',
        tags: ['stream'],
        summary: 'Deletes it',
        description: '',
        responses: {},
      },
    },
    '/v1/users': {
      get: { operationId: 'listUsers', tags: ['user'], summary: 'Users', description: '', responses: {} },
    },
  },
};

test('[R2.17] the calls of a document are grouped, with their parameters and answers', () => {
  const groups = groupsOf(document);
  assert.deepEqual(
    groups.map((group) => [group.name, group.operations.map(({ method, path }) => `${method} ${path}`)]),
    [
      ['stream', ['GET /v1/stream/{uid}', 'DELETE /v1/stream/{uid}']],
      ['user', ['GET /v1/users']],
    ],
  );
  const [getStream] = groups[0]?.operations ?? [];
  assert.equal(getStream?.parameters[0]?.name, 'uid');
  assert.deepEqual(
    getStream?.answers.map(({ status, contentType }) => [status, contentType]),
    [
      ['200', 'application/json'],
      ['404', undefined],
    ],
  );
});

test('calls are found when every word is in the name, address or summary', () => {
  const found = (search: string) =>
    matching(groupsOf(document), search).flatMap(({ operations }) => operations.map(({ id }) => id));
  assert.deepEqual(found(''), ['getStream', 'deleteStream', 'listUsers']);
  assert.deepEqual(found('GET stream'), ['getStream']);
  assert.deepEqual(found('users'), ['listUsers']);
  assert.deepEqual(found('stream users'), []);
});

test('schemas are described as text', () => {
  assert.equal(kindOf({ anyOf: [name, { type: 'null' }] }), 'string, null');
  assert.equal(kindOf({ type: 'array', items: name }), 'array of string');
  assert.equal(kindOf({ $ref: '#/components/schemas/Error' }), 'Error');
  assert.deepEqual(limitsOf(name), ['length 1…200']);
  assert.deepEqual(limitsOf({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }), [
    '1…',
    '= 1',
  ]);
  assert.deepEqual(limitsOf({ enum: ['a', 'b'] }), ['"a" | "b"']);
  const list: Schema = { type: 'array', items: { type: 'object', properties: { name }, required: ['name'] } };
  assert.deepEqual(membersOf({ anyOf: [{ type: 'null' }, list] }), [['name', name, true]]);
});

test('an example is valid by its schema', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      name,
      kind: { enum: ['event'] },
      size: { type: 'integer', minimum: 16 },
      tags: { type: 'array', items: name },
      note: { anyOf: [{ type: 'null' }, name] },
    },
  };
  assert.deepEqual(exampleOf(schema), { name: 'text', kind: 'event', size: 16, tags: ['text'], note: null });
});
