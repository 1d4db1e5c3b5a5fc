import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { PasswordHasher } from './password-hash.ts';
import { checkPassword } from './password-rules.ts';

const person = { login: 'operator.one', email: 'first.last@example.org' };

function isRefused(password: string): boolean {
  try {
    checkPassword(password, person);
    return false;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'PasswordIsNotComplexEnough');
    return true;
  }
}

test('[R5.1] passwords: 8 to 128 characters, not one’s own names, not common', () => {
  const bad = ['', '1234567', 'x'.repeat(129), 'Operator.One', 'FIRST.LAST@example.org', 'first.last'];
  for (const password of [
    ...bad,
    'password',
    'Password1',
    'qwertyui',
    '12345678',
    'йцукенгш123'.slice(0, 8),
  ]) {
    assert.ok(isRefused(password), password);
  }
  for (const password of ['ведро и труба', 'x7#kQ!pz', '🐴🔋🧷📎🐴🔋🧷📎', 'z'.repeat(60) + 'abc']) {
    assert.ok(!isRefused(password), password);
  }
});

test('a hash matches only its password, and contains its parameters', async () => {
  const hasher = new PasswordHasher();
  const hash = await hasher.hash('корень 42');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
  assert.equal(await hasher.verify('корень 42', hash), true);
  assert.equal(await hasher.verify('корень 43', hash), false);
  assert.notEqual(await hasher.hash('корень 42'), hash);
});

test('the same password typed on another keyboard matches', async () => {
  const hasher = new PasswordHasher();
  assert.equal(await hasher.verify('e\u0301clair 1', await hasher.hash('\u00e9clair 1')), true);
});

test('without a user no password matches', async () => {
  const hasher = new PasswordHasher();
  assert.equal(await hasher.verify('a password without an account', undefined), false);
  assert.equal(await hasher.verify('', null), false);
});

test('a few calls wait for their turn, and a flood gets TooManyRequests', async () => {
  let running = 0;
  let most = 0;
  const hasher = new PasswordHasher(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return Buffer.alloc(32);
  });
  const results = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.hash('x')));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(most, 2);
  assert.equal(refused.length, 70 - 66);
  for (const { reason } of refused) assert.equal((reason as Fault).code, 'TooManyRequests');
});
