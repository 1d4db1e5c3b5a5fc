import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import { Attempts } from '../access/attempts.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Identities } from '../access/identities.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import { checkPassword } from '../access/password-rules.ts';
import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { Users } from '../store/users.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { Lock } from '../system/lock.ts';
import type { SessionOrigin, SignedInUser } from './sign-in.ts';

type SetUp = z.output<Calls['unlock']['body']>;

export interface FirstAdministratorOptions {
  readonly lock: Pick<Lock, 'unlock'>;
  readonly identities: Pick<Identities, 'acquire'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly authenticator: Pick<Authenticator, 'open'>;
  readonly clock: Clock;
}

/** The setup of a server without an administrator. */
export class FirstAdministrator {
  readonly #options: FirstAdministratorOptions;
  readonly #tries: Attempts;

  constructor(options: FirstAdministratorOptions) {
    this.#options = options;
    this.#tries = new Attempts(options.clock, { max: 100, windowMs: 15 * 60_000 });
  }

  /**
   * Creates the administrator with the code from the console, and opens their session.
   * @throws Fault TooManyRequests, PasswordIsNotComplexEnough, AlreadyUsed, and those of `Lock.unlock`
   */
  async create(body: SetUp, from: SessionOrigin, note: AuditNote): Promise<SignedInUser> {
    const { lock, identities, passwords, authenticator, clock } = this.#options;
    const { name: login, email, language, password } = body;
    this.#tries.check(networkOf(from.ip));
    this.#tries.add(networkOf(from.ip));
    const user = await lock.unlock(body.code, async () => {
      checkPassword(password, { login, email });
      const passwordHash = await passwords.hash(password);
      const add = (users: Users) =>
        users.add({
          login,
          email,
          fullName: '',
          language,
          passwordHash,
          isAdmin: true,
          maxStreamCreation: -1,
          isManaged: false,
          mustChangePassword: false,
          isBlocked: false,
          createdMs: clock.wallMs(),
          lastSeenMs: null,
        });
      return identities.acquire(undefined, { login, email }, add);
    });
    note.login = user.login;
    const { secret } = await authenticator.open(user, { ip: from.ip, userAgent: from.userAgent });
    return { user, secret };
  }
}
