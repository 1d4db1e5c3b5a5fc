import { existsSync } from 'node:fs';
import { PasswordHasher } from '../access/password-hash.ts';
import { newCode } from '../access/secrets.ts';
import type { DatabasePlace } from '../store/open-database.ts';
import { Store } from '../store/store.ts';
import type { Tell } from './answer.ts';

export interface ResetPasswordOptions {
  readonly database: DatabasePlace;
  readonly login: string;
  readonly out: (line: string) => void;
  readonly tell?: Tell | undefined;
}

/**
 * `vidette reset-password LOGIN`: gives a user a temporary password, which must be changed at the first
 * sign-in, and ends their sessions and tokens. It works while the server runs, for users who may write its data
 * folder.
 */
export async function resetPassword({ database, login, out, tell }: ResetPasswordOptions): Promise<number> {
  if ('file' in database && !existsSync(database.file)) {
    out(`There is no database ${database.file}.`);
    return 1;
  }
  // Streams are not touched here, so no address needs redacting.
  const store = await Store.open({ ...database, redact: () => '' });
  try {
    const user = await store.users.byLogin(login);
    if (!user) {
      out(`There is no user ${login}.`);
      return 1;
    }
    if (user.isManaged) {
      out(`The password of ${user.login} is managed elsewhere and can't be set here.`);
      return 1;
    }
    const password = `${newCode()}-${newCode()}`;
    const passwordHash = await new PasswordHasher().hash(password);
    await store.users.save(user.id, { passwordHash, mustChangePassword: true });
    await store.sessions.removeOfUser(user.id, undefined);
    await store.tokens.removeOfUser(user.id, undefined);
    await store.resetCodes.remove(user.id);
    tell?.({ login: user.login, password, isBlocked: user.isBlocked });
    out(`Temporary password of ${user.login}: ${password}`);
    if (user.isBlocked) out('The user is blocked; an administrator can unblock them.');
    return 0;
  } finally {
    await store.close();
  }
}
