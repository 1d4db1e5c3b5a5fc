import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from '@vidette/contract/calls';
import type { Call } from '@vidette/contract/call';
import { type CallName, routes } from '@vidette/contract/routes';
import { streamActions } from './audit-subjects.ts';

test('[R7.47] every audited call on a stream has the name of the stream in its entry', () => {
  const missing = (Object.entries(calls) as [CallName, Call][])
    .filter(([name, call]) => call.stream && (routes[name].method !== 'GET' || call.audited))
    .map(([name]) => name)
    .filter((name) => !streamActions.has(name));
  assert.deepEqual(missing, []);
});
