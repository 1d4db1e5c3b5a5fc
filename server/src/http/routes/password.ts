import type { PasswordReset } from '../../system/password-reset.ts';
import type { Registrar } from '../registrar.ts';

/** Password recovery by e-mail: asking for a code, and a new password by it. */
export function registerPassword(registrar: Registrar, passwordReset: PasswordReset): void {
  registrar.handle('sendPasswordReset', async ({ body, ip, reply, audit }) => {
    audit.target = body.email;
    const retryAfterSeconds = await passwordReset.send(body.email, ip);
    void reply.header('retry-after', String(retryAfterSeconds));
    return {};
  });

  registrar.handle('resetPassword', async ({ body, ip, audit }) => {
    audit.target = body.email;
    audit.login = await passwordReset.reset(body, ip);
    return {};
  });
}
