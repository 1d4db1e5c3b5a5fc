import { inEvenTime } from '../../access/even-time.ts';
import type { Clock } from '../../base/clock.ts';
import type { PasswordReset } from '../../system/password-reset.ts';
import type { Registrar } from '../registrar.ts';

/** What password recovery needs. */
export interface PasswordServices {
  readonly clock: Clock;
  readonly passwordReset: Pick<PasswordReset, 'send' | 'reset'>;
}

/** Answers are sent at multiples of this: the writes for a known address alone take some milliseconds. */
const evenMs = 250;

/** Password recovery by e-mail: requesting a code, and setting a new password with it. */
export function registerPassword(registrar: Registrar, { passwordReset, clock }: PasswordServices): void {
  registrar.handle('sendPasswordReset', async ({ body, ip, reply, audit }) => {
    audit.target = body.email;
    const retryAfterSeconds = await inEvenTime(clock, evenMs, () => passwordReset.send(body.email, ip));
    void reply.header('retry-after', String(retryAfterSeconds));
    return {};
  });

  registrar.handle('resetPassword', async ({ body, ip, audit }) => {
    audit.target = body.email;
    audit.login = await inEvenTime(clock, evenMs, () => passwordReset.reset(body, ip));
    return {};
  });
}
