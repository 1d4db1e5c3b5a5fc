import { inEvenTime } from '../access/even-time.ts';
import type { Clock } from '../base/clock.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { PasswordReset } from '../system/password-reset.ts';

/** Answers are sent at multiples of this: the writes for a known address alone take some milliseconds. */
const evenMs = 250;

export interface PasswordRecoveryOptions {
  readonly passwordReset: Pick<PasswordReset, 'send' | 'reset'>;
  readonly clock: Clock;
}

/** Password recovery by e-mail, in a time that does not depend on whether the address has an account. */
export class PasswordRecovery {
  readonly #options: PasswordRecoveryOptions;

  constructor(options: PasswordRecoveryOptions) {
    this.#options = options;
  }

  /**
   * Sends a code to the address if it belongs to a user. Returns after how many seconds another may be
   * requested.
   */
  send(email: string, ip: string, note: AuditNote): Promise<number> {
    const { passwordReset, clock } = this.#options;
    note.target = email;
    return inEvenTime(clock, evenMs, () => passwordReset.send(email, ip));
  }

  /** Sets a new password with a code. @throws Fault of `PasswordReset.reset` */
  async reset(body: Parameters<PasswordReset['reset']>[0], ip: string, note: AuditNote): Promise<void> {
    const { passwordReset, clock } = this.#options;
    note.target = body.email;
    note.login = await inEvenTime(clock, evenMs, () => passwordReset.reset(body, ip));
  }
}
