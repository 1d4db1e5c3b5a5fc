import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidette/contract/client';
import type { Mutation, Query } from '@tanstack/react-query';
import { en } from '../i18n/en/all.ts';
import { I18n } from '../i18n/i18n.ts';
import { ru } from '../i18n/ru/all.ts';
import { codeOf, mutationFailed, queryFailed, textOf, type FailureMeta } from './failures.ts';

function exits() {
  const taken: string[] = [];
  return {
    taken,
    i18n: () => new I18n('en', en),
    toNotFound: () => void taken.push('not-found'),
    toSignIn: () => void taken.push('auth'),
    toInit: () => void taken.push('init'),
    serverLost: () => void taken.push('lost'),
  };
}

function query(meta?: FailureMeta) {
  return { meta } as Query<unknown, unknown, unknown>;
}

function mutation(meta?: FailureMeta) {
  return { meta } as Mutation<unknown, unknown, unknown>;
}

test('[R7.50] [R7.51] [R7.52] [R7.53] where a failed GET leads', () => {
  for (const [error, exit] of [
    [new ApiError('NotFound', 'Not found.', 404), 'not-found'],
    [new ApiError('AuthorizationRequired', 'You are not authorized.', 401), 'auth'],
    [new ApiError('LifetimeCodeRequired', '', 423), 'init'],
    [new ApiError('SERVER_NOT_RESPONSE_ERR', '', 0), 'lost'],
  ] as const) {
    const to = exits();
    queryFailed(error, query(), to);
    assert.deepEqual(to.taken, [exit]);
  }
});

test('a change that fails with 404 does not navigate, and a wrong password belongs to its form', () => {
  const to = exits();
  mutationFailed(new ApiError('NotFound', '', 404), mutation(), to);
  mutationFailed(new ApiError('AuthorizationFailed', '', 401), mutation(), to);
  queryFailed(new ApiError('NotFound', '', 404), query({ isHandled: true }), to);
  assert.deepEqual(to.taken, []);
});

test('[R8.2] the code comes from the answer, else it is the unknown one; the text comes from the server, else from the catalogue', () => {
  assert.equal(codeOf(new Error('oops')), 'SERVER_UNKNOWN_ERR');
  assert.equal(codeOf(new ApiError('Forbidden', '', 403)), 'Forbidden');
  assert.equal(textOf(new Error('oops'), new I18n('en', en)), 'Something went wrong.');
  const proxys = new ApiError('SERVER_UNKNOWN_ERR', 'Bad Gateway', 502);
  assert.equal(textOf(proxys, new I18n('en', en)), 'Something went wrong.');
  assert.equal(textOf(new ApiError('Forbidden', '', 403), new I18n('ru', ru)), 'У вас нет доступа.');
  assert.equal(textOf(new ApiError('ProbeError', 'No picture.', 422), new I18n('en', en)), 'No picture.');
});
