import { clockOwners } from '@vidette/contract/constants';
import { Attempts } from '../../access/attempts.ts';
import { FairQueue } from '../../access/fair-queue.ts';
import { checkPassword } from '../../access/password-rules.ts';
import { SharedAttempts } from '../../access/shared-attempts.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import { requireOwnData } from '../../access/user-policy.ts';
import { Fault } from '../../base/fault.ts';
import { networkOf } from '../../base/network.ts';
import type { UserChanges, UserRecord, Users } from '../../store/users.ts';
import { clearSessionCookie, setDeviceCookie, setSessionCookie } from '../credentials.ts';
import { fieldFault } from '../../base/field-fault.ts';
import { requireSession, type PasswordProof } from '../../access/password-proof.ts';
import { requireKnownZone } from '../../base/known-zone.ts';
import { requireUnchanged } from '../../base/unchanged.ts';
import type { Registrar } from '../registrar.ts';
import type { CallContext } from '../call-context.ts';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { PasswordHasher } from '../../access/password-hash.ts';
import type { Identities } from '../../access/identities.ts';
import type { KnownDevices } from '../../access/known-devices.ts';
import type { SignInLimits } from '../../access/sign-in-limits.ts';
import type { AccountEmails } from '../../system/account-emails.ts';
import type { Lock } from '../../system/lock.ts';
import { wholeList } from '../whole-list.ts';
import {
  changesOfUser,
  preferencesOf,
  profileView,
  sessionView,
  tokenView,
} from '../../accounts/user-view.ts';

/** What the account of the caller needs. */
export interface AccountServices {
  readonly config: Pick<Config, 'session'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'users' | 'sessions' | 'tokens' | 'failedAttempts'>;
  readonly authenticator: Authenticator;
  readonly passwords: PasswordHasher;
  readonly proof: PasswordProof;
  readonly identities: Identities;
  readonly knownDevices: KnownDevices;
  readonly signInLimits: SignInLimits;
  readonly emails: AccountEmails;
  readonly lock: Pick<Lock, 'unlock'>;
}

const windowMs = 15 * 60_000;
const maxTokens = 100;

/** Signing in and out, the caller's own profile, sessions and tokens. */
export function registerAccount(registrar: Registrar, services: AccountServices): void {
  registerSigning(registrar, services);
  registerProfile(registrar, services);
  registerSessions(registrar, services);
  registerTokens(registrar, services);
}

function registerSigning(registrar: Registrar, services: AccountServices): void {
  const { store, passwords, identities, knownDevices, signInLimits, authenticator, clock, config } = services;
  const sessionMs = config.session.days * 86_400_000;
  const queue = new FairQueue();
  const unlockTries = new Attempts(clock, { max: 100, windowMs });

  /** The user whose password it is, if there is one; the time is the same for an unknown name. */
  const findByPassword = async (candidates: readonly UserRecord[], password: string) => {
    for (const user of candidates) {
      if (await passwords.verify(password, user.passwordHash)) return user;
    }
    if (candidates.length === 0) await passwords.verify(password, undefined);
    return undefined;
  };

  registrar.handle('signIn', async ({ body, ip, request, reply, audit, signal }) => {
    const nowMs = clock.wallMs();
    const candidates = await identities.candidates(body.name);
    // An unknown name is not logged: often it is a password, typed into the wrong field.
    audit.login = candidates[0]?.login ?? null;
    const deviceId = candidates
      .map(({ id }) => knownDevices.find(request.cookies, id, nowMs)?.id)
      .find((id) => id !== undefined);
    const check = async () => {
      signal.throwIfAborted();
      const attempt = await signInLimits.admit({ login: body.name, ip, deviceId });
      const found = await findByPassword(candidates, body.password);
      if (!found || found.isBlocked) {
        throw new Fault('AuthorizationFailed', 'The login or password is wrong, or the user is blocked.');
      }
      await attempt.forgive();
      return found;
    };
    // Guesses queue behind each other, and never delay known devices.
    const user = deviceId === undefined ? await queue.run(networkOf(ip), check) : await check();
    audit.login = user.login;
    const { secret } = await authenticator.open(user, { ip, userAgent: request.headers['user-agent'] ?? '' });
    setSessionCookie(request, reply, secret, sessionMs);
    if (knownDevices.find(request.cookies, user.id, nowMs)?.isDueForRenewal ?? true) {
      setDeviceCookie(request, reply, knownDevices.issue(user.id, nowMs));
    }
    return { user: profileView(user), mustChangePassword: user.mustChangePassword };
  });

  registrar.handle('signOut', async ({ principal, reply }) => {
    if (principal?.by.kind === 'session') {
      await store.sessions.remove(principal.user.id, principal.by.id);
      authenticator.forget(principal.user.id);
    }
    clearSessionCookie(reply);
    return {};
  });

  registrar.handle('unlock', async ({ body, ip, request, reply, audit }) => {
    unlockTries.check(networkOf(ip));
    unlockTries.add(networkOf(ip));
    const user = await services.lock.unlock(body.code, async () => {
      checkPassword(body.password, { login: body.name, email: body.email });
      const passwordHash = await passwords.hash(body.password);
      const add = (users: Users) =>
        users.add({
          login: body.name,
          email: body.email,
          fullName: '',
          language: body.language,
          passwordHash,
          isAdmin: true,
          maxStreamCreation: -1,
          isManaged: false,
          mustChangePassword: false,
          isBlocked: false,
          createdMs: clock.wallMs(),
          lastSeenMs: null,
        });
      return identities.acquire(undefined, { login: body.name, email: body.email }, add);
    });
    audit.login = user.login;
    const { secret } = await authenticator.open(user, { ip, userAgent: request.headers['user-agent'] ?? '' });
    setSessionCookie(request, reply, secret, sessionMs);
    return { user: profileView(user), mustChangePassword: false };
  });
}

function registerProfile(registrar: Registrar, services: AccountServices): void {
  const { store, passwords, proof, identities, emails, authenticator, config } = services;

  // A caller who checks whether a login or an e-mail is taken learns who has an account.
  const takenTries = new SharedAttempts(store.failedAttempts, services.clock, 'taken', {
    max: 10,
    windowMs: 3_600_000,
  });

  registrar.handle('getProfile', ({ principal }) => profileView(principal.user));

  registrar.handle('confirmPassword', async ({ principal, body }) => {
    await proof.verify(principal, body.password, 'password');
    return {};
  });

  registrar.handle('saveProfile', async ({ principal, body, request, reply, audit }) => {
    const { user } = principal;
    requireUnchanged(body, profileView(user), [
      'isAdmin',
      'permissionType',
      'maxStreamCreation',
      'canConvert',
      'isManaged',
      'mustChangePassword',
      'isBlocked',
      'createdAt',
    ]);
    requireOwnData(user, body);
    const changes: UserChanges = {};
    if (body.name !== undefined && body.name !== user.login) changes.login = body.name;
    if (body.email !== undefined && body.email !== user.email) changes.email = body.email;
    if (body.password !== undefined) await proof.verify(principal, body.oldPassword ?? '', 'oldPassword');
    else if (changes.login !== undefined || changes.email !== undefined) {
      await proof.requireHereOrLately(principal, body.oldPassword);
    }
    if (body.fullName !== undefined) changes.fullName = body.fullName;
    if (body.language !== undefined) changes.language = body.language;
    if (body.preferences !== undefined) {
      requireZoneChoice(body.preferences.timeZone);
      changes.preferences = { ...preferencesOf(user), ...body.preferences };
    }
    if (changes.login !== undefined || changes.email !== undefined) {
      await takenTries.take(String(user.id));
      await identities.requireFree(user, changes);
    }
    if (body.password !== undefined) {
      if (body.password === body.oldPassword) {
        throw fieldFault('OldPasswordAndNewPasswordCannotBeSame', 'password', 'The password stays the same.');
      }
      checkPassword(body.password, {
        login: changes.login ?? user.login,
        email: changes.email ?? user.email,
      });
      changes.passwordHash = await passwords.hash(body.password);
      changes.mustChangePassword = false;
    }
    const save = (users: Users) => users.save(user.id, changes);
    const saved = Object.keys(changes).length > 0 ? await identities.acquire(user, changes, save) : user;
    if (body.password !== undefined) {
      // This browser stays signed in; every other session that used the old password does not [R5.2].
      const secret = await authenticator.endOthers(user.id, principal.by, body.keepTokens ?? false);
      if (secret !== undefined) setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    }
    authenticator.forget(user.id);
    audit.details = { changes: changesOfUser(user, saved) };
    emails.noteChange(user, saved);
    return profileView(saved);
  });
}

/** @throws Fault ValidationError for a time zone name that this machine does not know */
function requireZoneChoice(timeZone: string | undefined): void {
  if (timeZone === undefined || clockOwners.some((owner) => owner === timeZone)) return;
  requireKnownZone(timeZone, 'preferences.timeZone');
}

function registerSessions(registrar: Registrar, services: AccountServices): void {
  const { store, authenticator, config } = services;

  registrar.handle('listSessions', async ({ principal }) => {
    const sessions = await store.sessions.ofUser(principal.user.id);
    return wholeList(sessions.map((session) => sessionView(session, sessionIdOf(principal))));
  });

  registrar.handle('terminateSessions', async ({ principal, body, request, reply }) => {
    const { keepTokens = false, includeCurrent = false } = body ?? {};
    const by = includeCurrent ? undefined : principal.by;
    const secret = await authenticator.endOthers(principal.user.id, by, keepTokens);
    if (secret === undefined) clearSessionCookie(reply);
    else setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    return {};
  });

  registrar.handle('deleteSession', async ({ principal, params, reply }) => {
    const removed = await store.sessions.remove(principal.user.id, params.id);
    if (removed === undefined) throw new Fault('NotFound', 'There is no such session.');
    authenticator.forget(principal.user.id);
    if (removed === sessionIdOf(principal)) clearSessionCookie(reply);
    return {};
  });
}

function registerTokens(registrar: Registrar, services: AccountServices): void {
  const { store, authenticator, clock } = services;

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
      userId: principal.user.id,
      name: body.name,
      secretHash: hashSecret(secret),
      createdMs: clock.wallMs(),
      expiresMs: body.expireTime,
      lastUsedMs: null,
    });
    return { ...tokenView(token), secret };
  });

  registrar.handle('deleteToken', async ({ principal, params }) => {
    const { by } = principal;
    if (by.kind !== 'token' || by.id !== params.id) requireSession(principal);
    const isRemoved = await store.tokens.remove(principal.user.id, params.id);
    if (!isRemoved) throw new Fault('NotFound', 'There is no such token.');
    authenticator.forget(principal.user.id);
    return {};
  });
}

function sessionIdOf(principal: NonNullable<CallContext<'listSessions'>['principal']>): string | undefined {
  return principal.by.kind === 'session' ? principal.by.id : undefined;
}
