import type { FastifyReply } from 'fastify';

/**
 * Headers of call responses: data, images, video. These are not pages: they run nothing, and only our own pages
 * may frame them. The headers are few because every poll carries them.
 */
export const callHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Added when the request came over TLS (RFC 6797). Half a year, and only for this host name: an operator may
 * return to plain HTTP, or run other servers on subdomains.
 */
export const tlsHeaders: Readonly<Record<string, string>> = {
  'strict-transport-security': 'max-age=15552000',
};

/**
 * Headers of every other response. Only scripts from the page's own files are allowed; inline style attributes
 * are allowed, because positions on a timeline are set with them. `logoOrigin` is the origin of a configured
 * logo.
 */
export function securityHeaders(logoOrigin: string | undefined): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${logoOrigin ? ` ${logoOrigin}` : ''}`,
    "media-src 'self' blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  };
}

export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  void reply.headers(headers);
}

/** Lets pages of any site show this response in a frame. */
export function allowEmbedding(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'));
  void reply.header('content-security-policy', policy.replace("frame-ancestors 'self'", 'frame-ancestors *'));
  void reply.header('cross-origin-resource-policy', 'cross-origin');
  void reply.removeHeader('x-frame-options');
}
