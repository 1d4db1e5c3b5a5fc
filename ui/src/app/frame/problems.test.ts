import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthWarning } from '@vidette/contract/health';
import { isLoss, problemsOf } from './problems.ts';

const warning = (code: HealthWarning['code'], subject: string | null = null): HealthWarning => ({
  code,
  subject,
  expiresAt: null,
  usedPercent: null,
  recordedPercent: null,
});
const keys = (warnings: HealthWarning[], dismissed: Record<string, string> = {}) =>
  problemsOf(warnings, dismissed).map(({ key }) => key);

test('[R4.11] problems are listed by seriousness, each stream by itself, without those that have a banner', () => {
  assert.deepEqual(
    keys([
      warning('license-expired'),
      warning('trust-proxy'),
      warning('cluster-node-drained', 'main'),
      warning('stream-recorded-low', 'gate'),
      warning('stream-recorded-low', 'yard'),
      warning('tunnel-down', 'home'),
      warning('stream-not-recording', 'gate'),
      warning('stream-not-recording', 'hall'),
    ]),
    // The coverage of a stream that isn't recorded at all says nothing more.
    [
      'stream-not-recording:gate',
      'stream-not-recording:hall',
      'tunnel-down:home',
      'stream-recorded-low:yard',
      'trust-proxy',
    ],
  );
});

test('[R4.11] a dismissed problem is left out, except one that can’t be dismissed', () => {
  const all = [
    warning('stream-not-recording', 'gate'),
    warning('server-overloaded'),
    warning('stream-recorded-low', 'yard'),
    warning('stream-recorded-low', 'roof'),
    warning('archive-disk-usage'),
  ];
  const until = '2026-12-01T00:00:00Z';
  const dismissed = {
    'stream-not-recording:gate': until,
    'server-overloaded': until,
    'stream-recorded-low:yard': until,
    'archive-disk-usage': until,
  };
  assert.deepEqual(keys(all, dismissed), [
    'stream-not-recording:gate',
    'server-overloaded',
    'stream-recorded-low:roof',
  ]);
  assert.deepEqual(problemsOf(all, {}).map(isLoss), [true, false, false, false, false]);
});
