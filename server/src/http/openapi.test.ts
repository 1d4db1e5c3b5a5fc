import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from '@vidette/contract/calls';
import { universalErrors } from '@vidette/contract/call';
import { catalogue } from '@vidette/contract/errors';
import { routes, type CallName } from '@vidette/contract/routes';
import { openApiDocument } from './openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: unknown;
  responses: Record<string, { description: string }>;
}

const document = openApiDocument('1.2.3') as unknown as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
};

test('[R7.55] every call is in the document, with its parameters, body and error codes', () => {
  assert.equal(document.openapi, '3.1.0');
  for (const name of Object.keys(routes) as CallName[]) {
    const operation = document.paths[routes[name].path]?.[routes[name].method.toLowerCase()];
    assert.equal(operation?.operationId, name);
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

test('[R8.1] the document names no code that the catalogue does not know', () => {
  const text = JSON.stringify(document.paths);
  for (const [, code] of text.matchAll(/`([A-Za-z_]+)`:/g))
    assert.ok(Object.hasOwn(catalogue, code ?? ''), code);
  assert.ok(universalErrors.every((code) => text.includes(code)));
});
