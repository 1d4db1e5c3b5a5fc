import type { FastifyReply } from 'fastify';

/**
 * Headers of call answers: data, images, video. Not a page: it runs nothing, and is framed only by our own
 * pages. They are few because every poll carries them.
 */
export const callHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Added when the request came over TLS (RFC 6797). Half a year, and for this name alone: an operator who goes
 * back to plain HTTP, or has other servers below the name, must not wait longer than that.
 */
export const tlsHeaders: Readonly<Record<string, string>> = {
  'strict-transport-security': 'max-age=15552000',
};

/**
 * Headers of every other answer. No scripts but the page's own files; inline style attributes are allowed,
 * because positions on a timeline are set with them. `logoOrigin` is where a configured logo comes from.
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

/** Lets pages of any site show this answer in a frame. */
export function allowEmbedding(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'));
  void reply.header('content-security-policy', policy.replace("frame-ancestors 'self'", 'frame-ancestors *'));
  void reply.header('cross-origin-resource-policy', 'cross-origin');
  void reply.removeHeader('x-frame-options');
}
