import type { FastifyRequest } from 'fastify';
import type { PasswordProof } from '../../access/password-proof.ts';
import type { FirstAdministrator } from '../../accounts/first-administrator.ts';
import type { OwnProfile } from '../../accounts/own-profile.ts';
import type { SessionService } from '../../accounts/session-service.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import type { TokenService } from '../../accounts/token-service.ts';
import { profileView } from '../../accounts/user-view.ts';
import type { Config } from '../../config/schema.ts';
import { clearSessionCookie, setDeviceCookie, setSessionCookie } from '../credentials.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the account calls. */
export interface AccountServices {
  readonly config: Pick<Config, 'session'>;
  readonly signIn: Pick<SignIn, 'open'>;
  readonly firstAdministrator: Pick<FirstAdministrator, 'create'>;
  readonly ownProfile: Pick<OwnProfile, 'save'>;
  readonly proof: Pick<PasswordProof, 'verify'>;
  readonly sessions: SessionService;
  readonly tokens: TokenService;
}

const dayMs = 86_400_000;

/** Signing in and out, the caller's own profile, sessions and tokens. */
export function registerAccount(registrar: Registrar, services: AccountServices): void {
  registerSigning(registrar, services);
  registerProfile(registrar, services);
  registerSessions(registrar, services);
  registerTokens(registrar, services);
}

function registerSigning(
  registrar: Registrar,
  { config, signIn, firstAdministrator, sessions }: AccountServices,
): void {
  const sessionMs = config.session.days * dayMs;
  const userAgentOf = ({ headers }: FastifyRequest) => headers['user-agent'] ?? '';

  registrar.handle('signIn', async ({ body, ip, request, reply, audit, signal }) => {
    const from = { ip, userAgent: userAgentOf(request), cookies: request.cookies, signal };
    const { user, secret, device } = await signIn.open(body.name, body.password, from, audit);
    setSessionCookie(request, reply, secret, sessionMs);
    if (device) setDeviceCookie(request, reply, device);
    return { user: profileView(user), mustChangePassword: user.mustChangePassword };
  });

  registrar.handle('signOut', async ({ principal, reply }) => {
    await sessions.signOut(principal);
    clearSessionCookie(reply);
    return {};
  });

  registrar.handle('unlock', async ({ body, ip, request, reply, audit }) => {
    const from = { ip, userAgent: userAgentOf(request) };
    const { user, secret } = await firstAdministrator.create(body, from, audit);
    setSessionCookie(request, reply, secret, sessionMs);
    return { user: profileView(user), mustChangePassword: false };
  });
}

function registerProfile(registrar: Registrar, { config, proof, ownProfile }: AccountServices): void {
  registrar.handle('getProfile', ({ principal }) => profileView(principal.user));

  registrar.handle('confirmPassword', async ({ principal, body }) => {
    await proof.verify(principal, body.password, 'password');
    return {};
  });

  registrar.handle('saveProfile', async ({ principal, body, request, reply, audit }) => {
    const { user, secret } = await ownProfile.save(principal, body, audit);
    // This browser remains signed in.
    if (secret !== undefined) setSessionCookie(request, reply, secret, config.session.days * dayMs);
    return profileView(user);
  });
}

function registerSessions(registrar: Registrar, { config, sessions }: AccountServices): void {
  registrar.handle('listSessions', async ({ principal }) => wholeList(await sessions.list(principal)));

  registrar.handle('terminateSessions', async ({ principal, body, request, reply }) => {
    const { keepTokens = false, includeCurrent = false } = body ?? {};
    const secret = await sessions.endOthers(principal, { keepTokens, includeCurrent });
    if (secret === undefined) clearSessionCookie(reply);
    else setSessionCookie(request, reply, secret, config.session.days * dayMs);
    return {};
  });

  registrar.handle('deleteSession', async ({ principal, params, reply }) => {
    if (await sessions.end(principal, params.id)) clearSessionCookie(reply);
    return {};
  });
}

function registerTokens(registrar: Registrar, { tokens }: AccountServices): void {
  registrar.handle('listTokens', async ({ principal }) => wholeList(await tokens.list(principal)));

  registrar.handle('addToken', ({ principal, body, audit }) => tokens.add(principal, body, audit));

  registrar.handle('deleteToken', async ({ principal, params, audit }) => {
    await tokens.remove(principal, params.id, audit);
    return {};
  });
}
