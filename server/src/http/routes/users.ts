import type { SessionService } from '../../accounts/session-service.ts';
import type { UserService } from '../../accounts/user-service.ts';
import { userView } from '../../accounts/user-view.ts';
import type { Config } from '../../config/schema.ts';
import { setSessionCookie } from '../credentials.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the user calls. */
export interface UserServices {
  readonly config: Pick<Config, 'session'>;
  readonly userService: UserService;
  readonly sessions: Pick<SessionService, 'listOf' | 'endOf'>;
}

/** Users, for administrators. */
export function registerUsers(registrar: Registrar, { config, userService, sessions }: UserServices): void {
  registrar.handle('listUsers', async ({ query }) => {
    const { page, pageSize } = query;
    return { ...(await userService.list(query)), page, pageSize };
  });

  registrar.handle('getUser', ({ params }) => userService.get(params.login));

  registrar.handle('addUser', ({ principal, body, audit }) => userService.add(principal, body, audit));

  registrar.handle('saveUser', async ({ principal, params, body, request, reply, audit }) => {
    const { user, secret } = await userService.save(principal, params.login, body, audit);
    if (secret !== undefined) setSessionCookie(request, reply, secret, config.session.days * 86_400_000);
    return userView(user);
  });

  registrar.handle('deleteUser', async ({ principal, params }) => {
    await userService.remove(principal, params.login);
    return {};
  });

  registrar.handle('blockUser', ({ principal, params }) =>
    userService.setBlocked(principal, params.login, true),
  );

  registrar.handle('unblockUser', ({ principal, params }) =>
    userService.setBlocked(principal, params.login, false),
  );

  registrar.handle('listUserSessions', async ({ principal, params }) =>
    wholeList(await sessions.listOf(principal, params.login)),
  );

  registrar.handle('deleteUserSession', async ({ params }) => {
    await sessions.endOf(params.login, params.id);
    return {};
  });
}
