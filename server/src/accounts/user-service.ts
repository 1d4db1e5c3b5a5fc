import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { User } from '@vidette/contract/entities';
import type { Authenticator } from '../access/authenticator.ts';
import type { Identities } from '../access/identities.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import type { PasswordProof } from '../access/password-proof.ts';
import { checkPassword } from '../access/password-rules.ts';
import type { Principal } from '../access/principal.ts';
import { requireNotSelf, requireOwnData, requireUser } from '../access/user-policy.ts';
import type { Clock } from '../base/clock.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import type { UserChanges, UserQuery, UserRecord, Users } from '../store/users.ts';
import type { AccountEmails } from '../system/account-emails.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { SavedUser } from './own-profile.ts';
import { changesOfUser, userView } from './user-view.ts';

type ListQuery = z.output<Calls['listUsers']['query']>;
type UserToAdd = z.output<Calls['addUser']['body']>;
type UserToSave = z.output<Calls['saveUser']['body']>;

const sortColumns = {
  name: 'login',
  createdAt: 'createdMs',
  lastSeenTime: 'lastSeenMs',
} as const satisfies Record<string, UserQuery['sort']>;

export interface UserServiceOptions {
  readonly store: Pick<Store, 'users'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly proof: Pick<PasswordProof, 'requireLately' | 'requireForRights'>;
  readonly identities: Pick<Identities, 'requireFree' | 'acquire'>;
  readonly authenticator: Pick<Authenticator, 'endOthers' | 'forget'>;
  readonly emails: Pick<AccountEmails, 'noteChange'>;
  readonly config: Pick<Config, 'app'>;
  readonly clock: Clock;
}

/** The accounts of a server, managed by administrators. */
export class UserService {
  readonly #options: UserServiceOptions;

  constructor(options: UserServiceOptions) {
    this.#options = options;
  }

  async list(query: ListQuery): Promise<{ items: User[]; total: number }> {
    const sort = query.sortType.replace('-', '') as keyof typeof sortColumns;
    const { items, total } = await this.#options.store.users.list({
      page: query.page,
      pageSize: query.pageSize,
      sort: sortColumns[sort],
      descending: query.sortType.startsWith('-'),
      words: query.searchingValues,
    });
    return { items: items.map(userView), total };
  }

  /** @throws Fault NotFound */
  async get(login: string): Promise<User> {
    return userView(await this.#require(login));
  }

  /** @throws Fault PasswordRequired for a new administrator, AlreadyUsed, PasswordIsNotComplexEnough */
  async add(principal: Principal, body: UserToAdd, note: AuditNote): Promise<User> {
    const { identities, passwords, proof, config, clock } = this.#options;
    note.target = body.name;
    const isAdmin = wantsAdmin(body) ?? false;
    if (isAdmin) proof.requireLately(principal);
    const names = { login: body.name, email: body.email };
    await identities.requireFree(undefined, names);
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
    return userView(await identities.acquire(undefined, names, add));
  }

  /**
   * Saves what is given. A change that could take over the account, or that grants rights, requires proof of
   * the administrator's own password; a new password ends every session that used the old one.
   * @throws Fault NotFound, ActionNotAcceptable, PasswordRequired, and at the member that can't be saved
   */
  async save(principal: Principal, login: string, body: UserToSave, note: AuditNote): Promise<SavedUser> {
    const { identities, passwords, authenticator, emails } = this.#options;
    const user = await this.#require(login);
    requireUnchanged(body, userView(user), ['isManaged', 'isBlocked', 'createdAt']);
    requireOwnData(user, body);
    const changes = changesIn(body, user);
    if (changes.isAdmin !== undefined) requireNotSelf(principal, user);
    this.#requireProof(principal, user, changes, body.password !== undefined);
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
    let secret: string | undefined;
    if (body.password !== undefined) {
      const by = user.id === principal.user.id ? principal.by : undefined;
      secret = await authenticator.endOthers(user.id, by, body.keepTokens ?? false);
    }
    authenticator.forget(user.id);
    note.details = { changes: changesOfUser(user, saved) };
    emails.noteChange(user, saved);
    return { user: saved, secret };
  }

  /** @throws Fault NotFound, ActionNotAcceptable for the caller's own account */
  async remove(principal: Principal, login: string): Promise<void> {
    const { store, authenticator } = this.#options;
    const user = await this.#require(login);
    requireNotSelf(principal, user);
    await store.users.remove(user.id);
    authenticator.forget(user.id);
  }

  /** A blocked user is signed out everywhere. @throws Fault NotFound, ActionNotAcceptable for the caller's own account */
  async setBlocked(principal: Principal, login: string, isBlocked: boolean): Promise<User> {
    const { store, authenticator } = this.#options;
    const user = await this.#require(login);
    if (isBlocked) requireNotSelf(principal, user);
    const saved = await store.users.save(user.id, { isBlocked });
    authenticator.forget(user.id);
    return userView(saved);
  }

  #require(login: string): Promise<UserRecord> {
    return requireUser(this.#options.store.users, login);
  }

  #requireProof(principal: Principal, user: UserRecord, changes: UserChanges, isNewPassword: boolean): void {
    const { proof } = this.#options;
    const { login, email, isAdmin, maxStreamCreation, canConvert } = changes;
    if (isNewPassword || [login, email, isAdmin].some((change) => change !== undefined)) {
      proof.requireLately(principal);
    }
    if (
      (maxStreamCreation ?? user.maxStreamCreation) !== user.maxStreamCreation ||
      (canConvert ?? user.canConvert) !== user.canConvert
    ) {
      proof.requireForRights(principal);
    }
  }
}

/** The changes that a call makes to a user, without the password. @throws Fault ValidationError */
function changesIn(body: UserToSave, user: UserRecord): UserChanges {
  const changes: UserChanges = {};
  if (body.name !== undefined && body.name !== user.login) changes.login = body.name;
  if (body.email !== undefined && body.email !== user.email) changes.email = body.email;
  if (body.fullName !== undefined) changes.fullName = body.fullName;
  if (body.language !== undefined) changes.language = body.language;
  if (body.maxStreamCreation !== undefined) changes.maxStreamCreation = body.maxStreamCreation;
  if (body.canConvert !== undefined) changes.canConvert = body.canConvert;
  if (body.mustChangePassword !== undefined) changes.mustChangePassword = body.mustChangePassword;
  const isAdmin = wantsAdmin(body);
  if (isAdmin !== undefined && isAdmin !== user.isAdmin) changes.isAdmin = isAdmin;
  return changes;
}

/**
 * The value of the redundant `isAdmin` and `permissionType`; undefined when neither is given.
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
