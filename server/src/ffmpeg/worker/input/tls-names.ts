/**
 * FFmpeg may only use plain HTTP to the proxy in its own process (`checked-proxy.ts`), which handles TLS for
 * it. An https address is therefore rewritten to http with a host name that the proxy recognises: `cam.example`
 * becomes `cam.example.tls.vidette.invalid`, which no resolver knows (RFC 2606, 2), and an IPv6 address gets
 * dashes and an additional label, because its brackets cannot be part of a name.
 */
const suffix = '.tls.vidette.invalid';
const sixSuffix = `.six${suffix}`;

/** The same address for FFmpeg; an address that isn't https is returned unchanged. */
export function plainAddress(url: string): string {
  return url.replace(
    /^https:\/\/([^/?#]*)/i,
    (_whole, authority: string) => `http://${plainAuthority(authority)}`,
  );
}

/**
 * A playlist or manifest with all its https addresses in the form above, and without `tcp:` addresses, which
 * FFmpeg must be allowed for HTTP itself: it opens the variants and renditions of a playlist with any allowed
 * protocol (FFmpeg 8.1, `hls.c`, `parse_playlist`), segments and all of DASH with HTTP only.
 */
export function plainDocument(text: string): string {
  const authorities = /https:\/\/([^/?#\s"'<>\\]{1,512})/gi;
  return text
    .replace(/tcp:/gi, 'refused:')
    .replace(authorities, (_whole, authority: string) => `http://${plainAuthority(authority)}`);
}

export interface RealTarget {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** As in the `Host` header. */
  readonly authority: string;
}

/** The real target of a request to this address. */
export function realTarget(url: URL): RealTarget {
  const tls = url.hostname.endsWith(suffix);
  const shown = tls ? realHost(url.hostname) : url.hostname;
  const defaultPort = tls ? 443 : 80;
  const port = Number(url.port || defaultPort);
  return {
    host: shown.replace(/^\[|\]$/g, ''),
    port,
    tls,
    authority: port === defaultPort ? shown : `${shown}:${port}`,
  };
}

function plainAuthority(authority: string): string {
  const at = authority.lastIndexOf('@') + 1;
  const [, six, name = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(:\d*)?$/.exec(authority.slice(at)) ?? [];
  const host = six === undefined ? name + suffix : six.replaceAll(':', '-') + sixSuffix;
  return authority.slice(0, at) + host + port;
}

function realHost(host: string): string {
  if (!host.endsWith(sixSuffix)) return host.slice(0, -suffix.length);
  return `[${host.slice(0, -sixSuffix.length).replaceAll('-', ':')}]`;
}
