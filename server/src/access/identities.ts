import { Fault } from '../base/fault.ts';
import { keyOf } from '../base/search-key.ts';
import type { UserRecord, Users } from '../store/users.ts';

/** The names of an account; those left out stay as they are. */
export interface Names {
  readonly login?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Logins and e-mails share one namespace, because users sign in with either: one user's login can't be
 * another's e-mail. Check and change are one transaction, so that when two requests claim one name, on any
 * nodes, the second finds it taken.
 */
export class Identities {
  readonly #users: Users;

  constructor(users: Users) {
    this.#users = users;
  }

  /**
   * Saves with the given table, after checking that the names are free. `save` uses no other table: it runs within the
   * transaction.
   * @throws Fault AlreadyUsed at `name` or `email`
   */
  acquire<Saved>(
    self: UserRecord | undefined,
    names: Names,
    save: (users: Users) => Promise<Saved>,
  ): Promise<Saved> {
    return this.#users.inTransaction(async (users) => {
      await requireFreeIn(users, self, names);
      return save(users);
    });
  }

  /** Checks before anything expensive runs. @throws Fault AlreadyUsed at `name` or `email` */
  requireFree(self: UserRecord | undefined, names: Names): Promise<void> {
    return requireFreeIn(this.#users, self, names);
  }

  /**
   * The accounts that an entered name can refer to: the one with this login, then the one with this e-mail.
   * There can be two only if the names were assigned before logins and e-mails shared a namespace.
   */
  async candidates(typed: string): Promise<UserRecord[]> {
    const byLogin = await this.#users.byLogin(typed);
    const byEmail = typed.includes('@') ? await this.#users.byEmail(typed) : undefined;
    return [byLogin, byEmail].filter(
      (user, index, all) => user !== undefined && all.findIndex((other) => other?.id === user.id) === index,
    ) as UserRecord[];
  }
}

async function requireFreeIn(
  users: Users,
  self: UserRecord | undefined,
  { login, email }: Names,
): Promise<void> {
  await requireName(users, self, 'name', login);
  await requireName(users, self, 'email', email);
}

async function requireName(
  users: Users,
  self: UserRecord | undefined,
  path: 'name' | 'email',
  name: string | undefined,
): Promise<void> {
  if (!name) return;
  if (self && keyOf(name) === keyOf(path === 'name' ? self.login : self.email)) return;
  const holders = [await users.byLogin(name), await users.byEmail(name)];
  if (holders.every((holder) => holder === undefined || holder.id === self?.id)) return;
  throw new Fault('AlreadyUsed', path === 'name' ? 'The login is taken.' : 'The e-mail is taken.', {
    details: { fields: [{ path, code: 'AlreadyUsed' }] },
  });
}
