import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Identities } from '../access/identities.ts';
import { KnownDevices } from '../access/known-devices.ts';
import { PasswordHasher } from '../access/password-hash.ts';
import { PasswordProof } from '../access/password-proof.ts';
import { SignInLimits } from '../access/sign-in-limits.ts';
import { addPrincipal, newAuthenticator } from '../access/user-fixture.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { OwnProfile } from './own-profile.ts';
import { SessionService } from './session-service.ts';
import { SignIn } from './sign-in.ts';
import { TokenService } from './token-service.ts';
import { UserService } from './user-service.ts';

const password = 'a long enough pass phrase';

/** The services of accounts over a real store. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const { users, sessions, failedAttempts: failures } = store;
  const authenticator = newAuthenticator(store, clock);
  const passwords = new PasswordHasher();
  const proof = new PasswordProof({ sessions, failures, authenticator, passwords, clock });
  const identities = new Identities(users);
  const emails = { noteChange: () => {} };
  const config = { app: { language: null } } as ConstructorParameters<typeof UserService>[0]['config'];
  const passwordHash = await passwords.hash(password);
  return {
    store,
    clock,
    authenticator,
    passwordHash,
    signIn: new SignIn({
      identities,
      passwords,
      knownDevices: new KnownDevices(store.secret),
      signInLimits: new SignInLimits({ failures, clock, log: silentLog }),
      authenticator,
      failedSignIns: { note: () => {} },
      clock,
    }),
    ownProfile: new OwnProfile({ proof, passwords, identities, authenticator, emails, failures, clock }),
    userService: new UserService({
      store,
      passwords,
      proof,
      identities,
      authenticator,
      emails,
      config,
      clock,
    }),
    sessions: new SessionService({ store, authenticator }),
    tokens: new TokenService({ store, authenticator, clock }),
  };
}

test('a wrong password, an unknown name and a blocked user are refused alike; only an existing login is logged', async (t) => {
  const { store, signIn, passwordHash } = await scene(t);
  await addPrincipal(store, 'ann', { passwordHash });
  await addPrincipal(store, 'bob', { passwordHash, isBlocked: true });
  const from = { ip: '192.0.2.1', userAgent: 'test', cookies: {}, signal: new AbortController().signal };
  for (const [name, typed, login] of [
    ['ann', 'wrong', 'ann'],
    ['my secret', password, null],
    ['bob', password, 'bob'],
  ] as const) {
    const note = newAuditNote();
    await assert.rejects(signIn.open(name, typed, from, note), { code: 'AuthorizationFailed' });
    assert.equal(note.login, login);
  }
  const { user, secret, device } = await signIn.open('ann', password, from, newAuditNote());
  assert.deepEqual([user.login, secret.length, device !== undefined], ['ann', 43, true]);
  const known = { ...from, cookies: { [device?.name ?? '']: device?.value } };
  const again = await signIn.open('ann', password, known, newAuditNote());
  assert.equal(again.device, undefined);
});

test('[R5.2] a new password requires the old one, differs from it and gives the session a new secret', async (t) => {
  const { store, clock, authenticator, ownProfile, passwordHash } = await scene(t);
  const { user: stored } = await addPrincipal(store, 'ann', { passwordHash, mustChangePassword: true });
  const opened = await authenticator.open(stored, { ip: '192.0.2.1', userAgent: 'test' });
  const ann = await authenticator.bySession(opened.secret, '192.0.2.1');
  assert.ok(ann);
  // The password entered at sign-in is valid as proof only for a while.
  clock.advance(20 * 60_000);
  const save = (body: Parameters<OwnProfile['save']>[1], note = newAuditNote()) =>
    ownProfile.save(ann, body, note);
  await assert.rejects(save({ password: 'another good pass phrase', oldPassword: 'no' }), {
    code: 'InvalidOldPassword',
  });
  await assert.rejects(save({ password, oldPassword: password }), {
    code: 'OldPasswordAndNewPasswordCannotBeSame',
  });
  await assert.rejects(save({ name: 'anna' }), { code: 'PasswordRequired' });
  const note = newAuditNote();
  const { user, secret } = await save({ password: 'another good pass phrase', oldPassword: password }, note);
  assert.equal(user.mustChangePassword, false);
  assert.ok(secret);
  assert.deepEqual(note.details, {
    changes: { mustChangePassword: [true, false], password: ['***', '***'] },
  });
  assert.equal((await save({ fullName: 'Ann' })).secret, undefined);
});

test('administrators do not block, demote or delete themselves, and confirm their password before they grant rights', async (t) => {
  const { store, clock, userService } = await scene(t);
  const stale = await addPrincipal(store, 'admin', { isAdmin: true });
  const admin = { ...stale, by: { ...stale.by, provedMs: clock.wallMs() } } as typeof stale;
  await addPrincipal(store, 'ann');
  await assert.rejects(userService.setBlocked(admin, 'admin', true), { code: 'ActionNotAcceptable' });
  await assert.rejects(userService.remove(admin, 'admin'), { code: 'ActionNotAcceptable' });
  await assert.rejects(userService.save(admin, 'admin', { isAdmin: false }, newAuditNote()), {
    code: 'ActionNotAcceptable',
  });
  await assert.rejects(userService.save(admin, 'missing', {}, newAuditNote()), { code: 'NotFound' });
  for (const body of [{ isAdmin: true }, { maxStreamCreation: 5 }, { canConvert: false }]) {
    await assert.rejects(userService.save(stale, 'ann', body, newAuditNote()), { code: 'PasswordRequired' });
    await userService.save(admin, 'ann', body, newAuditNote());
  }
  await assert.rejects(
    userService.save(admin, 'ann', { isAdmin: true, permissionType: 'user' }, newAuditNote()),
    { code: 'ValidationError' },
  );
});

test('a session is ended by its user or an administrator; ending the current one is reported', async (t) => {
  const { store, authenticator, sessions } = await scene(t);
  const ann = await addPrincipal(store, 'ann');
  const { id, secret } = await authenticator.open(ann.user, { ip: '192.0.2.1', userAgent: 'a' });
  const other = await authenticator.open(ann.user, { ip: '192.0.2.2', userAgent: 'b' });
  const caller = await authenticator.bySession(secret, '192.0.2.1');
  assert.ok(caller);
  const shown = await sessions.list(caller);
  assert.deepEqual(
    shown.filter(({ isCurrent }) => isCurrent).map((one) => one.id),
    [id],
  );
  assert.equal(await sessions.end(caller, other.id), false);
  await assert.rejects(sessions.end(caller, other.id), { code: 'NotFound' });
  await assert.rejects(sessions.endOf('missing', id), { code: 'NotFound' });
  assert.equal(await sessions.end(caller, id), true);
  assert.equal(await authenticator.bySession(secret, '192.0.2.1'), undefined);
});

test('a token may delete itself and no other; a new one must be valid for some time', async (t) => {
  const { store, clock, tokens } = await scene(t);
  const ann = await addPrincipal(store, 'ann');
  await assert.rejects(tokens.add(ann, { name: 'x', expireTime: clock.wallMs() }, newAuditNote()), {
    code: 'ValidationError',
    details: { fields: [{ path: 'expireTime', code: 'too_small' }] },
  });
  const first = await tokens.add(ann, { name: 'a', expireTime: null }, newAuditNote());
  const second = await tokens.add(ann, { name: 'b', expireTime: clock.wallMs() + 1 }, newAuditNote());
  const byToken = { ...ann, by: { kind: 'token', id: first.id } } as const;
  await assert.rejects(tokens.remove(byToken, second.id, newAuditNote()), { code: 'Forbidden' });
  await tokens.remove(byToken, first.id, newAuditNote());
  await tokens.remove(ann, second.id, newAuditNote());
  await assert.rejects(tokens.remove(ann, second.id, newAuditNote()), { code: 'NotFound' });
});
