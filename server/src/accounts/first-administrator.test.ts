import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Identities } from '../access/identities.ts';
import { addPrincipal, newAuthenticator } from '../access/user-fixture.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { Lock } from '../system/lock.ts';
import { SetupCode } from '../system/setup-code.ts';
import { FirstAdministrator } from './first-administrator.ts';

const password = 'seven quiet otters 5';

/** A locked server, and the code printed on its console. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  let code = '';
  const print = (line: string) => (code = /^Set-up code: (.+)$/.exec(line)?.[1] ?? code);
  const lock = new Lock({ isLocked: true, setupCode: new SetupCode({ clock, print }), clock, print });
  t.after(() => lock.close());
  const authenticator = newAuthenticator(store, clock);
  const setup = new FirstAdministrator({
    lock,
    identities: new Identities(store.users),
    passwords: { hash: async (plain) => `hash of ${plain}` },
    authenticator,
    clock,
  });
  const note = newAuditNote();
  const create = (members: Partial<Parameters<FirstAdministrator['create']>[0]> = {}, ip = '192.0.2.1') =>
    setup.create(
      { code, name: 'admin', password, email: '', language: 'ru', ...members },
      { ip, userAgent: 'test' },
      note,
    );
  return { store, clock, lock, authenticator, create, note };
}

test('[R7.32] the code from the console creates an administrator without limits, signed in', async (t) => {
  const { lock, authenticator, create, note } = await scene(t);
  const { user, secret } = await create();
  assert.deepEqual(
    [user.login, user.language, user.isAdmin, user.maxStreamCreation, user.mustChangePassword],
    ['admin', 'ru', true, -1, false],
  );
  assert.equal(user.passwordHash, `hash of ${password}`);
  assert.deepEqual([lock.isLocked, note.login], [false, 'admin']);
  const principal = await authenticator.bySession(secret, '192.0.2.1');
  assert.equal(principal?.user.login, 'admin');
});

test('[R8.13] a wrong code creates no account, whatever the other input', async (t) => {
  const { store, lock, create, note } = await scene(t);
  await assert.rejects(create({ code: 'AAAA-AAAA' }), { code: 'UnknownLifetimeCode' });
  // The password is checked after the code, so that strangers learn nothing about its rules.
  await assert.rejects(create({ code: '', password: 'x' }), { code: 'LifetimeCodeRequired' });
  assert.deepEqual([await store.users.countActiveAdmins(), lock.isLocked, note.login], [0, true, null]);
});

test('a weak password, and a login or an e-mail that is taken, leave the server locked and the code valid', async (t) => {
  const { store, lock, create } = await scene(t);
  await addPrincipal(store, 'ann', { email: 'ann@example.org' });
  for (const [members, code] of [
    [{ password: 'password1' }, 'PasswordIsNotComplexEnough'],
    [{ name: 'Ann' }, 'AlreadyUsed'],
    [{ email: 'ANN@example.org' }, 'AlreadyUsed'],
  ] as const)
    await assert.rejects(create(members), { code });
  assert.equal(lock.isLocked, true);
  assert.equal((await create()).user.login, 'admin');
});

test('[R7.32] a server with an administrator creates no second one', async (t) => {
  const { store, create } = await scene(t);
  await create();
  await assert.rejects(create({ name: 'other' }), { code: 'ActionNotAcceptable' });
  assert.equal(await store.users.byLogin('other'), undefined);
});

test('[R8.12] a network has 100 attempts in a quarter of an hour, even with the right code; each network has its own', async (t) => {
  const { clock, lock, create } = await scene(t);
  for (let turn = 0; turn < 100; turn++)
    await assert.rejects(create({ code: '' }), { code: 'LifetimeCodeRequired' });
  await assert.rejects(create(), { code: 'TooManyRequests', details: { retryAfterSeconds: 900 } });
  await assert.rejects(create({ code: '' }, '198.51.100.1'), { code: 'LifetimeCodeRequired' });
  assert.equal(lock.isLocked, true);
  clock.advance(15 * 60_000);
  await create();
  assert.equal(lock.isLocked, false);
});
