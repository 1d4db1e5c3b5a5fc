import { checkPassword } from '../../access/password-rules.ts';
import { requireNotSelf, requireOwnData, requireUser } from '../../access/user-policy.ts';
import { Fault } from '../../base/fault.ts';
import type { UserChanges, UserQuery, Users } from '../../store/users.ts';
import { setSessionCookie } from '../credentials.ts';
import { fieldFault } from '../../base/field-fault.ts';
import { requireUnchanged } from '../../base/unchanged.ts';
import type { Registrar } from '../registrar.ts';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { PasswordHasher } from '../../access/password-hash.ts';
import type { PasswordProof } from '../../access/password-proof.ts';
import type { Identities } from '../../access/identities.ts';
import type { AccountEmails } from '../../system/account-emails.ts';
import { changesOfUser, sessionView, userView } from '../../accounts/user-view.ts';
import { wholeList } from '../whole-list.ts';

/** What users need. */
export interface UserServices {
  readonly config: Pick<Config, 'app' | 'session'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'users' | 'sessions'>;
  readonly authenticator: Authenticator;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly proof: PasswordProof;
  readonly identities: Identities;
  readonly emails: Pick<AccountEmails, 'noteChange'>;
}

const sortColumns = {
  name: 'login',
  createdAt: 'createdMs',
  lastSeenTime: 'lastSeenMs',
} as const satisfies Record<string, UserQuery['sort']>;

/** Users, for administrators. */
export function registerUsers(registrar: Registrar, services: UserServices): void {
  const { store, passwords, proof, identities, emails, authenticator, clock, config } = services;

  registrar.handle('listUsers', async ({ query }) => {
    const sort = query.sortType.replace('-', '') as keyof typeof sortColumns;
    const { items, total } = await store.users.list({
      page: query.page,
      pageSize: query.pageSize,
      sort: sortColumns[sort],
      descending: query.sortType.startsWith('-'),
      words: query.searchingValues,
    });
    return { items: items.map(userView), total, page: query.page, pageSize: query.pageSize };
  });

  registrar.handle('getUser', async ({ params }) => userView(await requireUser(store.users, params.login)));

  registrar.handle('addUser', async ({ principal, body, audit }) => {
    audit.target = body.name;
    const isAdmin = wantsAdmin(body) ?? false;
    if (isAdmin) proof.requireLately(principal);
    await identities.requireFree(undefined, { login: body.name, email: body.email });
    checkPassword(body.password, { login: body.name, email: body.email ?? '' });
    const passwordHash = await passwords.hash(body.password);
    const add = (users: Users) =>
      users.add({
        login: body.name,
        email: body.email ?? '',
        fullName: body.fullName ?? '',
        language: body.language ?? config.app.language ?? 'en',
        passwordHash,
        isAdmin,
        maxStreamCreation: body.maxStreamCreation ?? 0,
        canConvert: body.canConvert ?? true,
        isManaged: false,
        mustChangePassword: body.mustChangePassword ?? false,
        isBlocked: false,
        createdMs: clock.wallMs(),
        lastSeenMs: null,
      });
    return userView(await identities.acquire(undefined, { login: body.name, email: body.email }, add));
  });

  registrar.handle('saveUser', async ({ principal, params, body, request, reply, audit }) => {
    const user = await requireUser(store.users, params.login);
    requireUnchanged(body, userView(user), ['isManaged', 'isBlocked', 'createdAt']);
    requireOwnData(user, body);
    const changes: UserChanges = {};
    if (body.name !== undefined && body.name !== user.login) changes.login = body.name;
    if (body.email !== undefined && body.email !== user.email) changes.email = body.email;
    if (body.fullName !== undefined) changes.fullName = body.fullName;
    if (body.language !== undefined) changes.language = body.language;
    if (body.maxStreamCreation !== undefined) changes.maxStreamCreation = body.maxStreamCreation;
    if (body.canConvert !== undefined) changes.canConvert = body.canConvert;
    if (body.mustChangePassword !== undefined) changes.mustChangePassword = body.mustChangePassword;
    const wanted = wantsAdmin(body);
    if (wanted !== undefined && wanted !== user.isAdmin) {
      requireNotSelf(principal, user);
      changes.isAdmin = wanted;
    }
    const { login, email, isAdmin, maxStreamCreation, canConvert } = changes;
    if ([login, email, isAdmin, body.password].some((change) => change !== undefined)) {
      proof.requireLately(principal);
    }
    if (
      (maxStreamCreation ?? user.maxStreamCreation) !== user.maxStreamCreation ||
      (canConvert ?? user.canConvert) !== user.canConvert
    ) {
      proof.requireForRights(principal);
    }
    await identities.requireFree(user, changes);
    if (body.password !== undefined) {
      checkPassword(body.password, {
        login: changes.login ?? user.login,
        email: changes.email ?? user.email,
      });
      changes.passwordHash = await passwords.hash(body.password);
    }
    const save = (users: Users) => users.save(user.id, changes);
    const saved = Object.keys(changes).length > 0 ? await identities.acquire(user, changes, save) : user;
    if (body.password !== undefined) {
      const by = user.id === principal.user.id ? principal.by : undefined;
      const secret = await authenticator.endOthers(user.id, by, body.keepTokens ?? false);
      if (secret !== undefined) setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    }
    authenticator.forget(user.id);
    audit.details = { changes: changesOfUser(user, saved) };
    emails.noteChange(user, saved);
    return userView(saved);
  });

  registrar.handle('deleteUser', async ({ principal, params }) => {
    const user = await requireUser(store.users, params.login);
    requireNotSelf(principal, user);
    await store.users.remove(user.id);
    authenticator.forget(user.id);
    return {};
  });

  for (const [name, isBlocked] of [
    ['blockUser', true],
    ['unblockUser', false],
  ] as const) {
    registrar.handle(name, async ({ principal, params }) => {
      const user = await requireUser(store.users, params.login);
      if (isBlocked) requireNotSelf(principal, user);
      const saved = await store.users.save(user.id, { isBlocked });
      authenticator.forget(user.id);
      return userView(saved);
    });
  }

  registrar.handle('listUserSessions', async ({ principal, params }) => {
    const user = await requireUser(store.users, params.login);
    const currentId = principal.by.kind === 'session' ? principal.by.id : undefined;
    const sessions = await store.sessions.ofUser(user.id);
    return wholeList(sessions.map((session) => sessionView(session, currentId)));
  });

  registrar.handle('deleteUserSession', async ({ params }) => {
    const user = await requireUser(store.users, params.login);
    const removed = await store.sessions.remove(user.id, params.id);
    if (removed === undefined) throw new Fault('NotFound', 'There is no such session.');
    authenticator.forget(user.id);
    return {};
  });
}

/**
 * `isAdmin` and `permissionType` are redundant; undefined when neither is given.
 * @throws Fault ValidationError when they contradict each other
 */
function wantsAdmin(body: {
  isAdmin?: boolean | undefined;
  permissionType?: 'admin' | 'user' | undefined;
}): boolean | undefined {
  const { isAdmin, permissionType } = body;
  if (isAdmin !== undefined && permissionType !== undefined && isAdmin !== (permissionType === 'admin')) {
    throw fieldFault('ValidationError', 'permissionType', '"isAdmin" says the opposite.');
  }
  return body.isAdmin ?? (body.permissionType === undefined ? undefined : body.permissionType === 'admin');
}
