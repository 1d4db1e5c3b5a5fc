import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Attempts } from './attempts.ts';
import { isSameCode, newCode, newSecret, newUid } from './secrets.ts';

test('[R8.12] after too many attempts, further ones are refused with the time to wait', () => {
  const clock = new ManualClock();
  const attempts = new Attempts(clock, { max: 2, windowMs: 60_000 });
  attempts.add('a');
  clock.advance(10_000);
  attempts.add('a');
  assert.throws(
    () => attempts.check('a'),
    (error: unknown) =>
      error instanceof Fault && error.code === 'TooManyRequests' && error.details['retryAfterSeconds'] === 50,
  );
  attempts.check('b');
  clock.advance(50_000);
  attempts.check('a');
});

test('the count of a key restarts after it authenticates', () => {
  const attempts = new Attempts(new ManualClock(), { max: 1, windowMs: 60_000 });
  attempts.add('a');
  attempts.clear('a');
  attempts.check('a');
});

test('a flood of keys evicts the oldest first', () => {
  const attempts = new Attempts(new ManualClock(), { max: 1, windowMs: 60_000 });
  for (let index = 0; index <= 20_000; index++) attempts.add(String(index));
  attempts.check('0');
  assert.throws(() => attempts.check('20000'));
});

test('secrets, uids and codes have the expected format and do not repeat', () => {
  const made = Array.from({ length: 500 }, () => [newSecret(), newUid(), newCode()] as const);
  for (const index of [0, 1, 2] as const) assert.equal(new Set(made.map((row) => row[index])).size, 500);
  for (const [secret, uid, code] of made) {
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.match(uid, /^[a-z0-9]{12}$/);
    assert.match(code, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  }
});

test('codes match however users type them', () => {
  assert.ok(isSameCode(' abcd efgh', 'ABCD-EFGH'));
  assert.ok(!isSameCode('ABCD-EFGI', 'ABCD-EFGH'));
  assert.ok(!isSameCode('', 'ABCD-EFGH'));
});
