import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceMs, type DeviceCookie } from '../access/known-devices.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';

const cookieName = 'vidette_session';
/** A secret has 43 characters; values of a very different length are not looked up. */
const plausible = /^[A-Za-z0-9_-]{20,100}$/;

/**
 * Authenticates a request: by its bearer token, else by its session cookie, else as anonymous.
 * @throws Fault AuthorizationRequired for an invalid token: a program should be notified immediately.
 */
export async function identify(
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<Principal | undefined> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
    const principal = token && plausible.test(token) ? await authenticator.byToken(token) : undefined;
    if (!principal) throw new Fault('AuthorizationRequired', 'The token is not valid.');
    return principal;
  }
  const secret = request.cookies[cookieName];
  if (!secret || !plausible.test(secret)) return undefined;
  return authenticator.bySession(secret, callerIp(request));
}

/** The caller's address; IPv4 addresses in dotted notation even if the socket uses IPv6. */
export function callerIp(request: FastifyRequest): string {
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Sets the session cookie; under TLS with `Secure`. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  sessionMs: number,
): void {
  void reply.setCookie(cookieName, secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    maxAge: Math.floor(sessionMs / 1_000),
  });
}

/** Renews the lifetime of the session cookie, for a caller who comes with it. */
export function prolongSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal | undefined,
  sessionMs: number,
): void {
  const secret = request.cookies[cookieName];
  if (secret && principal?.by.kind === 'session') setSessionCookie(request, reply, secret, sessionMs);
}

/** Sets the known-device cookie, which is sent only to the sign-in call. */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply, cookie: DeviceCookie): void {
  void reply.setCookie(cookie.name, cookie.value, {
    path: '/v1/sign-in',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    maxAge: deviceMs / 1_000,
  });
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(cookieName, { path: '/' });
}
