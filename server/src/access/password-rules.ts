import { readFileSync } from 'node:fs';
import { limits } from '@vidette/contract/constants';
import { Fault } from '../base/fault.ts';

let commonPasswords: ReadonlySet<string> | undefined;

/** The bundled list, lower case, one password per line; read when the first password is set, then cached. */
function readCommonPasswords(): ReadonlySet<string> {
  commonPasswords ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  );
  return commonPasswords;
}

/**
 * Whether a password may be set [R5.1]: 8 to 128 characters, not the login, the e-mail or its local part, and
 * not among the common ones. There are no rules about capitals and digits: such rules make passwords worse.
 * @throws Fault PasswordIsNotComplexEnough at the field `password`.
 */
export function checkPassword(password: string, person: { login: string; email: string }): void {
  const length = Array.from(password).length;
  const folded = password.normalize('NFKC').toLowerCase();
  const own = [person.login, person.email, person.email.split('@', 1)[0] ?? ''].map((text) =>
    text.normalize('NFKC').toLowerCase(),
  );
  if (
    length < limits.passwordMinLength ||
    length > limits.passwordMaxLength ||
    own.includes(folded) ||
    readCommonPasswords().has(folded)
  ) {
    throw new Fault('PasswordIsNotComplexEnough', 'The password breaks a rule.', {
      details: { fields: [{ path: 'password', code: 'PasswordIsNotComplexEnough' }] },
    });
  }
}
