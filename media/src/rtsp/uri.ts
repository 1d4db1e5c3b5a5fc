/**
 * Request addresses of RTSP. Control attributes are resolved as servers and cameras do it, not according to RFC
 * 3986: a relative control is appended to the base, even after a query.
 */
import { MalformedError } from '../malformed.ts';

export interface RtspUri {
  readonly tls: boolean;
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The address as used in requests: without user and password, without fragment. */
  readonly requestUri: string;
  /** For RTSP over HTTP: the address in the HTTP requests. Absent for direct RTSP. */
  readonly tunnel?: RtspTunnel;
}

export interface RtspTunnel {
  /** Path and query. */
  readonly path: string;
  /** The value of the Host header. */
  readonly authority: string;
}

const maxUriLength = 2048;
const defaultPorts: Readonly<Record<string, number>> = { rtsp: 554, rtsps: 322, rtsph: 80, rtspsh: 443 };

/**
 * Splits an `rtsp:` or `rtsps:` address, or one of RTSP over HTTP or HTTPS (`rtsph:`, `rtspsh:`); a user and
 * password in it are removed. Inside the tunnel requests use an `rtsp:` address with its port.
 */
export function parseRtspUri(text: string): RtspUri {
  if (text.length > maxUriLength) throw new MalformedError(`address over ${maxUriLength} characters`);
  const match =
    /^(rtsps?h?):\/\/(?:[^/?#]*@)?(\[[0-9a-f:.%]+\]|[^:/?#[\]@\s]+)(?::(\d{1,5}))?([/?][^#\s]*)?(?:#.*)?$/i.exec(
      text.trim(),
    );
  if (!match) throw new MalformedError('not an RTSP address');
  const scheme = (match[1] ?? '').toLowerCase();
  const tls = scheme.startsWith('rtsps');
  const authorityHost = match[2] ?? '';
  const port = match[3] === undefined ? (defaultPorts[scheme] ?? 0) : Number(match[3]);
  if (port < 1 || port > 65535) throw new MalformedError('port outside 1 to 65535');
  const host = authorityHost.startsWith('[') ? authorityHost.slice(1, -1) : authorityHost;
  const rest = match[4] ?? '';
  if (scheme.endsWith('h')) {
    return tunnelled({ tls, host, port, requestUri: `rtsp://${authorityHost}:${port}${rest}` });
  }
  const shownPort = match[3] === undefined ? '' : `:${port}`;
  return { tls, host, port, requestUri: `${scheme}://${authorityHost}${shownPort}${rest}` };
}

/** The same address, for RTSP over HTTP. */
export function tunnelled(uri: RtspUri): RtspUri {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?]*)(.*)$/i.exec(uri.requestUri) ?? [];
  return { ...uri, tunnel: { authority, path: rest.startsWith('/') ? rest : `/${rest}` } };
}

/**
 * The base for control attributes: Content-Base, then Content-Location, then the request itself (RFC 2326, C.1.1).
 * A header that is not an absolute RTSP address is resolved against the request or ignored.
 */
export function controlBase(
  requestUri: string,
  contentBase: string | undefined,
  contentLocation: string | undefined,
): string {
  for (const candidate of [contentBase, contentLocation]) {
    if (!candidate) continue;
    if (isAbsolute(candidate)) return withoutCredentials(candidate);
    if (candidate.startsWith('/')) return origin(requestUri) + candidate;
  }
  return requestUri;
}

/**
 * The address for SETUP or PLAY, from a control attribute (RFC 2326, C.1.1); if missing or `*`, the base
 * itself.
 */
export function resolveControl(base: string, control: string | undefined): string {
  if (control === undefined || control === '' || control === '*') return base;
  if (isAbsolute(control)) return withoutCredentials(control);
  if (control.startsWith('?')) return base + control;
  if (base.endsWith('/')) return base + control.replace(/^\/+/, '');
  return control.startsWith('/') ? base + control : `${base}/${control}`;
}

/** The target of a redirect: absolute, or a path on the same server. */
export function resolveRedirect(requestUri: string, location: string): string {
  if (/^rtsps?:\/\//i.test(location)) return location;
  if (location.startsWith('/')) return origin(requestUri) + location;
  throw new MalformedError('redirect to an address that is not RTSP');
}

function isAbsolute(text: string): boolean {
  return /^rtspu?s?:\/\//i.test(text);
}

function origin(uri: string): string {
  return /^[a-z]+:\/\/[^/?#]*/i.exec(uri)?.[0] ?? uri;
}

function withoutCredentials(uri: string): string {
  return uri.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}
