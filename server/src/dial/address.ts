import { domainToASCII } from 'node:url';
import { isIPv6 } from 'node:net';
import { Fault } from '../base/fault.ts';

/**
 * Validates and parses a stream's source as entered by a user. Nothing is resolved or dialled here (see
 * `dial.ts`); a scheme that is not on the list below never reaches a library that would support it.
 */
export interface SourceAddress {
  readonly scheme: SourceScheme;
  /** Without user name and password, scheme and host in lower case; the address that an engine opens. */
  readonly url: string;
  /** Name or IP address without brackets; empty for `demo:` and for `udp://:port`. */
  readonly host: string;
  /** From the URL, or else the scheme's default; 0 for `demo:`. */
  readonly port: number;
  /** Whether the connection uses TLS. */
  readonly tls: boolean;
  /** User name and password of the URL, percent-decoded. */
  readonly credentials?: Credentials;
  /**
   * For logs and for users who may not edit the stream: scheme and host. Every other part may contain secrets.
   */
  readonly redacted: string;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Maximum length of an address, characters [R5.5]. */
const maxAddressLength = 2048;

interface SchemeRule {
  /** Undefined: the address must include the port. */
  readonly defaultPort: number | undefined;
  readonly tls: boolean;
  /** `udp://@group:port` and `udp://:port` listen, so the host may be missing. */
  readonly isHostOptional?: true;
}

const schemes = {
  rtsp: { defaultPort: 554, tls: false },
  rtsps: { defaultPort: 322, tls: true },
  // RTSP over HTTP and HTTPS, with the scheme names of GStreamer.
  rtsph: { defaultPort: 80, tls: false },
  rtspsh: { defaultPort: 443, tls: true },
  rtmp: { defaultPort: 1935, tls: false },
  rtmps: { defaultPort: 443, tls: true },
  http: { defaultPort: 80, tls: false },
  https: { defaultPort: 443, tls: true },
  srt: { defaultPort: undefined, tls: false },
  udp: { defaultPort: undefined, tls: false, isHostOptional: true },
} as const satisfies Record<string, SchemeRule>;

/** Read by the native RTSP engine. */
export const rtspSchemes: ReadonlySet<SourceScheme> = new Set(['rtsp', 'rtsps', 'rtsph', 'rtspsh']);

/**
 * Those of them that FFmpeg may try when the native engine fails; HTTP tunnels need two connections, and a
 * child has one.
 */
export const rtspFallbackSchemes: ReadonlySet<SourceScheme> = new Set(['rtsp', 'rtsps']);

export type SourceScheme = keyof typeof schemes | 'demo';

/**
 * RFC 3986, 3 and 3.2, read leniently: the user part ends at the last `@`, because pasted passwords may contain
 * one.
 */
const hierarchical = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i;
const demo = /^demo:([a-z0-9_-]{0,64})(\?[a-z0-9=&._-]{0,256})?$/i;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const unprintable = /[\u0000-\u0020\u007f\\"<>^`{|}]/;
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_-]{1,63})*\.?$/;

/**
 * Parses an untrusted address.
 * @throws Fault STREAM_SOURCE_ERR, with a message for the user that never contains the address, which may
 * contain a password
 */
export function parseSourceAddress(text: string): SourceAddress {
  if (text.length > maxAddressLength)
    throw refused(`The address is longer than ${maxAddressLength} characters.`);
  const trimmed = text.trim();
  if (/^demo:/i.test(trimmed)) return parseDemo(trimmed);
  const parts = hierarchical.exec(trimmed);
  if (!parts) throw refused('This is not the address of a stream. It begins with rtsp://, for example.');
  const [, rawScheme = '', authority = '', rest = ''] = parts;
  const scheme = rawScheme.toLowerCase();
  if (!isNetworkScheme(scheme))
    throw refused(`Addresses that begin with ${scheme.slice(0, 20)}: are not allowed.`);
  const rule: SchemeRule = schemes[scheme];
  const at = authority.lastIndexOf('@');
  const { host, port } = parseHostPort(authority.slice(at + 1), rule);
  if (unprintable.test(rest))
    throw refused('The address contains a space or another character that must be percent-encoded.');
  const credentials = at > 0 ? parseCredentials(authority.slice(0, at)) : undefined;
  const shownHost = isIPv6(host) ? `[${host}]` : host;
  const shownPort = port === rule.defaultPort ? '' : `:${port}`;
  const base = `${scheme}://${shownHost}${shownPort}`;
  return {
    scheme,
    url: base + rest,
    host,
    port,
    tls: rule.tls,
    ...(credentials ? { credentials } : {}),
    redacted: `${scheme}://${shownHost}`,
  };
}

/**
 * An address as shown to users who may not edit the stream, and as used by search, logs and the audit log:
 * scheme and host. Some addresses have users, passwords and stream keys in the path (`/user=admin_password=x`),
 * or in parameters with arbitrary names.
 */
export function shownSource(source: string): string {
  try {
    return parseSourceAddress(source).redacted;
  } catch (error) {
    // Stored under the rules of an earlier version, or with another key.
    if (!(error instanceof Fault)) throw error;
    const scheme = source.split(':', 1)[0]?.toLowerCase() ?? '';
    return isNetworkScheme(scheme) ? `${scheme}:` : '';
  }
}

/**
 * Foreign text (a crash, a library's error) with every address reduced to scheme and host. File URLs stay,
 * because they show where our program failed.
 */
export function withoutAddresses(text: string): string {
  return text.replace(
    /\b([a-z][a-z0-9+.-]{0,20}):\/\/([^\s'"<>]*)/gi,
    (whole, scheme: string, rest: string) => {
      if (scheme.toLowerCase() === 'file') return whole;
      const [authority = ''] = rest.split(/[/?#]/, 1);
      const host = authority.slice(authority.lastIndexOf('@') + 1);
      return `${scheme}://${host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.split(':', 1)[0]}`;
    },
  );
}

/**
 * The full address with its user name and password, percent-encoded: stored after an address was normalised,
 * and passed to libraries that have no separate parameter for credentials. Never for logs.
 */
export function addressWithCredentials(address: SourceAddress): string {
  if (!address.credentials) return address.url;
  const { username, password } = address.credentials;
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return address.url.replace('://', `://${user}@`);
}

function parseDemo(text: string): SourceAddress {
  if (!demo.test(text)) throw refused('A demo address looks like demo: or demo:name.');
  const url = `demo:${text.slice(5)}`;
  return { scheme: 'demo', url, host: '', port: 0, tls: false, redacted: url };
}

function isNetworkScheme(scheme: string): scheme is keyof typeof schemes {
  return Object.hasOwn(schemes, scheme);
}

function parseHostPort(text: string, rule: SchemeRule): { host: string; port: number } {
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{0,6}))?$/.exec(text);
  if (!parts) throw refused('The host or port of the address is invalid.');
  const [, bracketed, name = '', digits] = parts;
  const port = digits ? Number(digits) : rule.defaultPort;
  if (port === undefined) throw refused('This kind of address needs a port, as in host:5000.');
  if (port < 1 || port > 65535) throw refused('The port must be a number from 1 to 65535.');
  return { host: bracketed === undefined ? parseName(name, rule) : parseIPv6(bracketed), port };
}

function parseIPv6(text: string): string {
  // A zone (fe80::1%eth0) belongs to link-local addresses, which are not allowed anyway.
  if (!isIPv6(text) || text.includes('%')) throw refused('The address in brackets is not an IPv6 address.');
  return text.toLowerCase();
}

function parseName(text: string, rule: SchemeRule): string {
  if (text === '' && rule.isHostOptional) return '';
  // Names outside ASCII according to UTS #46. `1.2` or `0x7f000001` become the address that a resolver would
  // use.
  const host = unprintable.test(text) ? '' : domainToASCII(text);
  if (!hostName.test(host)) throw refused('The address has no valid host name.');
  return host;
}

function parseCredentials(text: string): Credentials {
  const colon = text.indexOf(':');
  const username = decodeLeniently(colon < 0 ? text : text.slice(0, colon));
  const password = colon < 0 ? '' : decodeLeniently(text.slice(colon + 1));
  // oxlint-disable-next-line no-control-regex -- a line break here would end up inside a request header
  if (/[\u0000-\u001f\u007f]/.test(username + password))
    throw refused('The user name or password contains a control character.');
  return { username, password };
}

/**
 * Percent-decoding according to RFC 3986, 2.1; a `%` that does not begin an escape is literal, as in a password
 * entered by hand.
 */
function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) return text;
    throw cause;
  }
}

function refused(message: string): Fault {
  return new Fault('STREAM_SOURCE_ERR', message, {
    details: { fields: [{ path: 'streamSource', code: 'STREAM_SOURCE_ERR', error: message }] },
  });
}
