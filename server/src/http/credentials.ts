import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceMs, type DeviceCookie } from '../access/known-devices.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';

const cookieName = 'vidette_session';
/** A secret has 43 characters; what is far from that is not looked up. */
const plausible = /^[A-Za-z0-9_-]{20,100}$/;

/**
 * Who sends a request: the bearer of a token, else of a session cookie, else nobody.
 * @throws Fault AuthorizationRequired for a token that opens nothing: a program should hear that at once.
 */
export async function identify(
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<Principal | undefined> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
    const principal = token && plausible.test(token) ? await authenticator.byToken(token) : undefined;
    if (!principal) throw new Fault('AuthorizationRequired', 'The token opens nothing.');
    return principal;
  }
  const secret = request.cookies[cookieName];
  if (!secret || !plausible.test(secret)) return undefined;
  return authenticator.bySession(secret, callerIp(request));
}

/** The caller's address; IPv4 in its own notation also where the socket speaks IPv6. */
export function callerIp(request: FastifyRequest): string {
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Hands the session to the browser; under TLS never to be sent without. */
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

/** Gives the cookie that is in use its full lifetime again. */
export function prolongSessionCookie(request: FastifyRequest, reply: FastifyReply, sessionMs: number): void {
  const secret = request.cookies[cookieName];
  if (secret) setSessionCookie(request, reply, secret, sessionMs);
}

/** Lets the browser be known at its next sign-in, which is all it is sent with. */
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
