import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { calls } from '@vidette/contract/calls';
import { universalErrors, type Call } from '@vidette/contract/call';
import { catalogue } from '@vidette/contract/errors';
import { WebhookNotification } from '@vidette/contract/notifications';
import { routes, type CallName } from '@vidette/contract/routes';
import { exampleOf } from './openapi-examples.ts';
import { openApiDocument } from './openapi.ts';

interface Content {
  'application/json'?: { example?: unknown; examples?: Record<string, { value: unknown }> };
}

interface DocumentedCall {
  operationId: string;
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required: boolean; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

const document = openApiDocument('1.2.3') as unknown as {
  openapi: string;
  paths: Record<string, Record<string, DocumentedCall>>;
  webhooks: Record<string, Record<string, DocumentedCall>>;
};

test('[R11.12] what webhooks receive is in the document, with an example that the contract accepts', () => {
  const operation = document.webhooks['notification']?.['post'];
  const example = operation?.requestBody?.content['application/json']?.example;
  assert.deepEqual(WebhookNotification.strict().parse(example), example);
  const headers = operation?.parameters?.map(({ name }) => name);
  assert.deepEqual(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature']);
});

test('[R7.55] every call is in the document, with its parameters, body and error codes', () => {
  assert.equal(document.openapi, '3.1.0');
  for (const name of Object.keys(routes) as CallName[]) {
    const operation = operationOf(name);
    assert.equal(operation.operationId, name);
    const inPath =
      operation.parameters?.filter((one) => one.in === 'path').map((one) => `{${one.name}}`) ?? [];
    assert.deepEqual(inPath.sort(), (routes[name].path.match(/\{\w+\}/g) ?? []).sort(), name);
    assert.equal(operation.requestBody !== undefined, 'body' in calls[name], name);
    for (const code of calls[name].errors) {
      const { status } = catalogue[code];
      assert.ok(operation.responses[String(status)]?.description.includes(`\`${code}\``), `${name} ${code}`);
    }
  }
});

test('[R8.1] the document names no code that is not in the catalogue', () => {
  const text = JSON.stringify(document.paths);
  for (const [, code] of text.matchAll(/`([A-Za-z_]+)`:/g))
    assert.ok(Object.hasOwn(catalogue, code ?? ''), code);
  assert.ok(universalErrors.every((code) => text.includes(code)));
});

test('[R7.55] every call has examples, and its own schemas accept them', () => {
  for (const name of Object.keys(routes) as CallName[]) {
    const call: Call = calls[name];
    const { parameters = [], requestBody, responses } = operationOf(name);
    const parts = [
      ['path', call.params],
      ['query', call.query],
    ] as const;
    for (const [place, schema] of parts) {
      const given = parameters.filter((one) => one.in === place && 'example' in one);
      accepts(schema, Object.fromEntries(given.map((one) => [one.name, one.example])), `${name} ${place}`);
      assert.ok(given.length >= parameters.filter((one) => one.in === place && one.required).length, name);
    }
    if (call.body) accepts(call.body, requestBody?.content['application/json']?.example, `${name} body`);
    if ('contentType' in call.reply) continue;
    accepts(call.reply, responses['200']?.content?.['application/json']?.example, `${name} reply`);
  }
});

test('an example is the value that its schema carries, shown beside the schema and not in it', () => {
  const { requestBody } = operationOf('addStream');
  const example = requestBody?.content['application/json']?.example as Record<string, unknown>;
  assert.equal(example['name'], 'Gate');
  assert.deepEqual(example['tags'], ['Yard']);
  assert.equal(exampleOf({ type: 'string', examples: ['Gate'] }), 'Gate');
  assert.deepEqual(exampleOf({ type: 'array', items: { type: 'string', examples: ['Yard'] } }), ['Yard']);
  assert.deepEqual(exampleOf({ anyOf: [{ type: 'null' }, { type: 'integer', minimum: 7 }] }), 7);
  assert.ok(!JSON.stringify(schemasIn(document)).includes('"examples"'));
});

/** Every JSON schema of the document. */
function schemasIn(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => (key === 'schema' ? [value] : schemasIn(value)));
}

test('[R8.1] every failure has an example with its code and the text of the catalogue', () => {
  const { responses } = operationOf('addStream');
  const examples = responses[String(catalogue.QuotaReached.status)]?.content?.['application/json']?.examples;
  assert.deepEqual(examples?.['QuotaReached']?.value, { code: 'QuotaReached', error: 'Quota is reached.' });
});

function operationOf(name: CallName): DocumentedCall {
  const operation = document.paths[routes[name].path]?.[routes[name].method.toLowerCase()];
  assert.ok(operation, name);
  return operation;
}

function accepts(schema: z.ZodType | undefined, example: unknown, what: string): void {
  if (!schema) return;
  assert.notEqual(example, undefined, `${what}: no example`);
  const result = schema.safeParse(example);
  assert.ok(result.success, `${what}: ${JSON.stringify(example)} ${result.error?.message}`);
}

test('[R7.55] the document names every status that is not an error, and the addresses outside the calls', () => {
  const answersOf = (path: string, method = 'get') => document.paths[path]?.[method]?.responses ?? {};
  const typesOf = (path: string, status: string) => Object.keys(answersOf(path)[status]?.content ?? {});
  for (const path of ['/v1/wall', '/v1/stream/{uid}/live', '/v1/share/{key}/live']) {
    assert.ok(answersOf(path)['101'] && !answersOf(path)['200'], path);
  }
  for (const path of ['/v1/stream/{uid}/archive/segment/{file}', '/v1/export/{id}/package']) {
    assert.ok(answersOf(path)['206'] && answersOf(path)['416'], path);
  }
  const frames = ['/v1/stream/{uid}/picture', '/v1/stream/{uid}/archive/picture', '/v1/stream/preview'];
  for (const path of frames) assert.ok(answersOf(path)['504'], path);
  assert.deepEqual(typesOf('/v1/stream/{uid}/live/{file}', '200'), [
    'application/vnd.apple.mpegurl',
    'video/mp4',
  ]);
  assert.deepEqual(typesOf('/metrics', '200'), ['text/plain']);
  assert.ok(answersOf('/metrics')['401'] && answersOf('/metrics')['404']);
  assert.ok(answersOf('/v1/mosaic/{id}', 'post')['404']);
});
