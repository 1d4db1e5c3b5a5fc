import type { FastifyRequest } from 'fastify';
import { Fault } from '../base/fault.ts';
import { withoutLastSlash } from '../config/public-url.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests that another site's page sends with this browser's cookie: every call that changes
 * something, and every WebSocket, which browsers open cross-site without a preflight. Clients other than
 * browsers send neither header.
 * @throws Fault Forbidden
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string | null): void {
  if (safeMethods.has(request.method) && !request.ws) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined) {
    if (hostOf(origin) === request.host.toLowerCase()) return;
    if (publicUrl !== null && hostOf(origin) === hostOf(publicUrl)) return;
    throw new Fault('Forbidden', 'The call comes from a page of another site.');
  }
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new Fault('Forbidden', 'The call comes from a page of another site.');
}

/**
 * Refuses a read call with side effects that may be unintended: another site's page or a link can make a
 * browser send any GET, with the cookie. Requests of the page itself or of a program are intended.
 * @throws Fault Forbidden
 */
export function requireIntent(request: FastifyRequest, publicUrl: string | null): void {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, origin, referer } = request.headers;
  const purpose = request.headers['sec-purpose'] ?? request.headers['purpose'];
  const from = origin ?? referer;
  const own = [request.host.toLowerCase(), ...(publicUrl === null ? [] : [hostOf(publicUrl)])];
  const isForeign = from !== undefined && !own.includes(hostOf(from));
  const isFollowed = mode === 'navigate' || mode === 'no-cors' || purpose !== undefined;
  if (!isForeign && !isFollowed && (site === undefined || site === 'same-origin')) return;
  throw new Fault('Forbidden', 'Only the page itself may request this.');
}

/** Host and port of an origin (RFC 6454), without the scheme's default port; undefined for `null`. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** The public address of this server, without a trailing slash: as configured, else from this request. */
export function publicBase(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl === null ? `${request.protocol}://${request.host}` : withoutLastSlash(publicUrl);
}
