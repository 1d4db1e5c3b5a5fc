import { clockOwners } from '@vidette/contract/constants';
import { Attempts } from '../../access/attempts.ts';
import { checkPassword } from '../../access/password-rules.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import { requireOwnData } from '../../access/user-policy.ts';
import { Fault } from '../../base/fault.ts';
import { keyOf } from '../../store/database.ts';
import type { UserChanges, UserRecord } from '../../store/users.ts';
import { clearSessionCookie, setSessionCookie } from '../credentials.ts';
import { fieldFault } from '../field-errors.ts';
import { requireSession } from '../../access/password-proof.ts';
import { requireKnownZone } from '../known-zone.ts';
import type { Registrar } from '../registrar.ts';
import type { CallContext } from '../call-context.ts';
import type { Services } from '../services.ts';
import { preferencesOf, profileView, sessionView, tokenView, wholeList } from '../user-view.ts';

const windowMs = 15 * 60_000;
const maxTokens = 100;

/** Signing in and out, the caller's own profile, sessions and tokens. */
export function registerAccount(registrar: Registrar, services: Services): void {
  registerSigning(registrar, services);
  registerProfile(registrar, services);
  registerSessions(registrar, services);
  registerTokens(registrar, services);
}

function registerSigning(registrar: Registrar, services: Services): void {
  const { store, passwords, doorkeeper, clock, config } = services;
  const sessionMs = config.session.days * 86_400_000;
  // A person who errs is slowed at their own desk; a guesser who spreads over addresses or names meets the wider two.
  const byPair = new Attempts(clock, { max: 10, windowMs });
  const byLogin = new Attempts(clock, { max: 100, windowMs });
  const byIp = new Attempts(clock, { max: 100, windowMs });

  registrar.handle('signIn', async ({ body, ip, request, reply, audit }) => {
    const login = keyOf(body.name);
    const user = (await store.users.byLogin(body.name)) ?? (await byUniqueEmail(services, body.name));
    // A name that nobody has is not written down: often it is a password, typed into the wrong field.
    audit.login = user?.login ?? null;
    const pair = `${login} ${ip}`;
    byPair.check(pair);
    byLogin.check(login);
    byIp.check(ip);
    // Counted before the slow check, so that many guesses at once don't all pass the limit.
    byPair.add(pair);
    byLogin.add(login);
    byIp.add(ip);
    const isRight = await passwords.verify(body.password, user?.password_hash);
    if (!isRight || !user || user.is_blocked === 1) {
      throw new Fault('AuthorizationFailed', 'The login or password is wrong, or the user is blocked.');
    }
    byPair.clear(pair);
    const { secret } = await doorkeeper.open(user, { ip, userAgent: request.headers['user-agent'] ?? '' });
    setSessionCookie(request, reply, secret, sessionMs);
    return { user: profileView(user), mustChangePassword: user.must_change_password === 1 };
  });

  registrar.handle('signOut', async ({ principal, reply }) => {
    if (principal?.by.kind === 'session') {
      await store.sessions.remove(principal.user.id, principal.by.id);
      doorkeeper.forget(principal.user.id);
    }
    clearSessionCookie(reply);
    return {};
  });

  registrar.handle('unlock', async ({ body, ip, request, reply, audit }) => {
    byIp.check(ip);
    byIp.add(ip);
    const user = await services.lock.unlock(body.code, async () => {
      checkPassword(body.password, { login: body.name, email: body.email });
      return store.users.add({
        login: body.name,
        email: body.email,
        full_name: '',
        language: body.language,
        password_hash: await passwords.hash(body.password),
        is_admin: 1,
        max_stream_creation: -1,
        is_managed: 0,
        must_change_password: 0,
        is_blocked: 0,
        created_ms: clock.wallMs(),
        last_seen_ms: null,
      });
    });
    audit.login = user.login;
    const { secret } = await doorkeeper.open(user, { ip, userAgent: request.headers['user-agent'] ?? '' });
    setSessionCookie(request, reply, secret, sessionMs);
    return { user: profileView(user), mustChangePassword: false };
  });
}

/** People may sign in with their e-mail too; what has no `@` is not looked up as one. */
function byUniqueEmail(services: Services, name: string): Promise<UserRecord | undefined> {
  return name.includes('@') ? services.store.users.byEmail(name) : Promise.resolve(undefined);
}

function registerProfile(registrar: Registrar, services: Services): void {
  const { store, passwords, proof, letters, doorkeeper, config } = services;

  // Whoever asks whether a login or an e-mail is taken learns who is here.
  const takenTries = new Attempts(services.clock, { max: 10, windowMs: 3_600_000 });

  registrar.handle('getProfile', ({ principal }) => profileView(principal.user));

  registrar.handle('confirmPassword', async ({ principal, body }) => {
    await proof.verify(principal, body.password, 'password');
    return {};
  });

  registrar.handle('saveProfile', async ({ principal, body, request, reply }) => {
    const { user } = principal;
    requireOwnData(user, body);
    const changes: UserChanges = {};
    if (body.name !== undefined && body.name !== user.login) changes.login = body.name;
    if (body.email !== undefined && body.email !== user.email) changes.email = body.email;
    if (body.password !== undefined) await proof.verify(principal, body.oldPassword ?? '', 'oldPassword');
    else if (changes.login !== undefined || changes.email !== undefined) {
      await proof.requireHereOrLately(principal, body.oldPassword);
    }
    if (body.fullName !== undefined) changes.full_name = body.fullName;
    if (body.language !== undefined) changes.language = body.language;
    if (body.preferences !== undefined) {
      requireZoneChoice(body.preferences.timeZone);
      changes.preferences = JSON.stringify({ ...preferencesOf(user), ...body.preferences });
    }
    if (changes.login !== undefined || changes.email !== undefined) {
      takenTries.check(String(user.id));
      takenTries.add(String(user.id));
      await requireFree(services, user, changes);
    }
    if (body.password !== undefined) {
      if (body.password === body.oldPassword) {
        throw fieldFault('OldPasswordAndNewPasswordCannotBeSame', 'password', 'The password stays the same.');
      }
      checkPassword(body.password, {
        login: changes.login ?? user.login,
        email: changes.email ?? user.email,
      });
      changes.password_hash = await passwords.hash(body.password);
      changes.must_change_password = 0;
    }
    const saved = Object.keys(changes).length > 0 ? await store.users.save(user.id, changes) : user;
    if (body.password !== undefined) {
      // This browser stays signed in, everybody else who knew the old password does not [R5.2].
      const secret = await doorkeeper.endOthers(user.id, principal.by, body.keepTokens ?? false);
      if (secret !== undefined) setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    }
    doorkeeper.forget(user.id);
    letters.noteChange(user, saved);
    return profileView(saved);
  });
}

/** @throws Fault ValidationError for the name of a zone that this machine has never heard of */
function requireZoneChoice(timeZone: string | undefined): void {
  if (timeZone === undefined || clockOwners.some((owner) => owner === timeZone)) return;
  requireKnownZone(timeZone, 'preferences.timeZone');
}

/** @throws Fault AlreadyUsed at the field whose value somebody else has */
export async function requireFree(
  services: Services,
  self: UserRecord | undefined,
  changes: { login?: string | undefined; email?: string | undefined },
): Promise<void> {
  const { users } = services.store;
  const sameLogin = changes.login === undefined ? undefined : await users.byLogin(changes.login);
  if (sameLogin && sameLogin.id !== self?.id) throw fieldFault('AlreadyUsed', 'name', 'The login is taken.');
  const sameEmail = changes.email ? await users.byEmail(changes.email) : undefined;
  if (sameEmail && sameEmail.id !== self?.id)
    throw fieldFault('AlreadyUsed', 'email', 'The e-mail is taken.');
}

function registerSessions(registrar: Registrar, services: Services): void {
  const { store, doorkeeper, config } = services;

  registrar.handle('listSessions', async ({ principal }) => {
    const sessions = await store.sessions.ofUser(principal.user.id);
    return wholeList(sessions.map((session) => sessionView(session, sessionIdOf(principal))));
  });

  registrar.handle('terminateSessions', async ({ principal, body, request, reply }) => {
    const { keepTokens = false, includeCurrent = false } = body ?? {};
    const by = includeCurrent ? undefined : principal.by;
    const secret = await doorkeeper.endOthers(principal.user.id, by, keepTokens);
    if (secret === undefined) clearSessionCookie(reply);
    else setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    return {};
  });

  registrar.handle('deleteSession', async ({ principal, params, reply }) => {
    const removed = await store.sessions.remove(principal.user.id, params.id);
    if (removed === undefined) throw new Fault('NotFound', 'There is no such session.');
    doorkeeper.forget(principal.user.id);
    if (removed === sessionIdOf(principal)) clearSessionCookie(reply);
    return {};
  });
}

function registerTokens(registrar: Registrar, services: Services): void {
  const { store, doorkeeper, clock } = services;

  registrar.handle('listTokens', async ({ principal }) => {
    return wholeList((await store.tokens.ofUser(principal.user.id)).map(tokenView));
  });

  registrar.handle('addToken', async ({ principal, body }) => {
    if (body.expireTime !== null && body.expireTime <= clock.wallMs()) {
      throw new Fault('ValidationError', 'The token would be born dead.', {
        details: { fields: [{ path: 'expireTime', code: 'too_small' }] },
      });
    }
    if ((await store.tokens.ofUser(principal.user.id)).length >= maxTokens) {
      throw new Fault('QuotaReached', 'The user has too many tokens.');
    }
    const secret = newSecret();
    const token = await store.tokens.add({
      user_id: principal.user.id,
      name: body.name,
      secret_hash: hashSecret(secret),
      created_ms: clock.wallMs(),
      expires_ms: body.expireTime,
      last_used_ms: null,
    });
    return { ...tokenView(token), secret };
  });

  registrar.handle('deleteToken', async ({ principal, params }) => {
    const { by } = principal;
    if (by.kind !== 'token' || by.id !== params.id) requireSession(principal);
    const isRemoved = await store.tokens.remove(principal.user.id, params.id);
    if (!isRemoved) throw new Fault('NotFound', 'There is no such token.');
    doorkeeper.forget(principal.user.id);
    return {};
  });
}

function sessionIdOf(principal: NonNullable<CallContext<'listSessions'>['principal']>): string | undefined {
  return principal.by.kind === 'session' ? principal.by.id : undefined;
}
