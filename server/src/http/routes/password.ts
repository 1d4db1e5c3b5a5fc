import type { PasswordRecovery } from '../../accounts/password-recovery.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the password recovery calls. */
export interface PasswordServices {
  readonly passwordRecovery: Pick<PasswordRecovery, 'send' | 'reset'>;
}

/** Password recovery by e-mail: requesting a code, and setting a new password with it. */
export function registerPassword(registrar: Registrar, { passwordRecovery }: PasswordServices): void {
  registrar.handle('sendPasswordReset', async ({ body, ip, reply, audit }) => {
    const retryAfterSeconds = await passwordRecovery.send(body.email, ip, audit);
    void reply.header('retry-after', String(retryAfterSeconds));
    return {};
  });

  registrar.handle('resetPassword', async ({ body, ip, audit }) => {
    await passwordRecovery.reset(body, ip, audit);
    return {};
  });
}
