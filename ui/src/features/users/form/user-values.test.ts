import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userCalls } from '@vidette/contract/calls/users';
import type { User } from '@vidette/contract/entities';
import { en } from '../../../i18n/en/all.ts';
import { I18n } from '../../../i18n/i18n.ts';
import {
  addBody,
  changesOf,
  emptyUser,
  formRole,
  userProblems,
  userValues,
  withRole,
} from './user-values.ts';

const user: User = {
  name: 'nina',
  email: 'nina@example.org',
  fullName: 'Nina',
  language: 'ru',
  isAdmin: false,
  permissionType: 'user',
  maxStreamCreation: 7,
  canConvert: true,
  isManaged: false,
  mustChangePassword: false,
  isBlocked: false,
  createdAt: 0,
  lastSeenTime: null,
};

test('[R2.6] a completed form is valid input for the call', () => {
  const body = addBody({ ...emptyUser, name: ' nina ', password: 'a long one 7', quotaKind: 'unlimited' });
  assert.deepEqual(userCalls.addUser.body.parse(body), body);
  assert.equal(body.name, 'nina');
  assert.equal(body.maxStreamCreation, -1);
  assert.equal(addBody({ ...emptyUser, name: 'n' }).maxStreamCreation, 0);
});

test('[R1.3] the three roles are chosen by one field; an administrator keeps the quota of before', () => {
  assert.equal(formRole(emptyUser), 'readOnly');
  assert.equal(formRole(userValues(user)), 'user');
  const readOnly = { ...userValues(user), ...withRole(userValues(user), 'readOnly') };
  assert.deepEqual(changesOf(readOnly, userValues(user)), { maxStreamCreation: 0 });
  const again = { ...readOnly, ...withRole(readOnly, 'user') };
  assert.deepEqual([formRole(again), again.quotaKind, again.maxStreamCreation], ['user', 'count', '7']);
  const admin = { ...readOnly, ...withRole(readOnly, 'admin') };
  assert.equal(formRole(admin), 'admin');
  assert.deepEqual(changesOf(admin, readOnly), { isAdmin: true });
});

test('only changes are sent, and a password only when one was entered', () => {
  const before = userValues(user);
  assert.deepEqual(changesOf(before, before), {});
  assert.deepEqual(changesOf({ ...before, fullName: 'Nina P.', role: 'admin' }, before), {
    fullName: 'Nina P.',
    isAdmin: true,
  });
  assert.deepEqual(changesOf({ ...before, canConvert: false }, before), { canConvert: false });
  assert.deepEqual(changesOf({ ...before, quotaKind: 'none', password: 'x' }, before), {
    maxStreamCreation: 0,
    password: 'x',
  });
});

test('[R5.5] obvious errors are shown before a call is made', () => {
  const problems = userProblems(new I18n('en', en), true);
  assert.equal(problems.name(' '), en['account.login.missing']);
  assert.equal(problems.name('a b'), en['account.login.invalid']);
  assert.equal(problems.name('nina.p-7@lan'), null);
  assert.equal(problems.password(''), en['account.password.missing']);
  const counted = { ...emptyUser, quotaKind: 'count' };
  for (const wrong of ['', '0', '-1', '1.5', 'ten', '12345678'])
    assert.equal(problems.maxStreamCreation(wrong, counted), en['user.quota.invalid'], wrong);
  assert.equal(problems.maxStreamCreation('25', counted), null);
  assert.equal(problems.maxStreamCreation('', emptyUser), null);
});
