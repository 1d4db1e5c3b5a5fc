import { Fault } from '../base/fault.ts';
import { keyOf } from '../store/database.ts';
import type { UserRecord, Users } from '../store/users.ts';

/** The names of an account; those left out stay as they are. */
export interface Names {
  readonly login?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Logins and e-mails share one namespace, because users sign in with either: one user's login can't be
 * another's e-mail. Claims are serialised, so that of two for one name the second finds it taken.
 */
export class Identities {
  readonly #users: Users;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(users: Users) {
    this.#users = users;
  }

  /**
   * Saves, after checking that the names are free.
   * @throws Fault AlreadyUsed at `name` or `email`
   */
  acquire<Saved>(self: UserRecord | undefined, names: Names, save: () => Promise<Saved>): Promise<Saved> {
    const saved = this.#turn.then(async () => {
      await this.requireFree(self, names);
      return save();
    });
    // The next claim does not depend on this one's result; only its own caller gets the failure.
    this.#turn = saved.then(
      () => undefined,
      () => undefined,
    );
    return saved;
  }

  /** Checks before anything expensive runs. @throws Fault AlreadyUsed at `name` or `email` */
  async requireFree(self: UserRecord | undefined, { login, email }: Names): Promise<void> {
    await this.#requireName(self, 'name', login);
    await this.#requireName(self, 'email', email);
  }

  /**
   * The accounts that a typed name can mean: the one with this login, then the one with this e-mail. There are
   * two only where the names were assigned before logins and e-mails shared a namespace.
   */
  async candidates(typed: string): Promise<UserRecord[]> {
    const byLogin = await this.#users.byLogin(typed);
    const byEmail = typed.includes('@') ? await this.#users.byEmail(typed) : undefined;
    return [byLogin, byEmail].filter(
      (user, index, all) => user !== undefined && all.findIndex((other) => other?.id === user.id) === index,
    ) as UserRecord[];
  }

  async #requireName(
    self: UserRecord | undefined,
    path: 'name' | 'email',
    name: string | undefined,
  ): Promise<void> {
    if (!name) return;
    if (self && keyOf(name) === keyOf(path === 'name' ? self.login : self.email)) return;
    const holders = [await this.#users.byLogin(name), await this.#users.byEmail(name)];
    if (holders.every((holder) => holder === undefined || holder.id === self?.id)) return;
    throw new Fault('AlreadyUsed', path === 'name' ? 'The login is taken.' : 'The e-mail is taken.', {
      details: { fields: [{ path, code: 'AlreadyUsed' }] },
    });
  }
}
