import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Values of `trustProxy`: proxies by address or range, as in `10.0.0.5` and `2001:db8::/32`; or the earlier
 * boolean.
 */
export type TrustProxy = boolean | readonly string[];

/** The proxies that `true` trusts: this machine and its private networks (RFC 1918, 4193, 3927, 4291). */
const privateRanges = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
];

/**
 * The caller of a request that passed through reverse proxies. A proxy appends the address that called it to
 * X-Forwarded-For; everything before that is the caller's claim. So the entries are read from the end, and the
 * first that is not a trusted proxy is the caller. For requests from other peers only their own address counts.
 */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  /** Maximum number of consecutive trusted proxies. */
  readonly #hopsMax: number;

  constructor(trust: TrustProxy) {
    const ranges = trust === true ? privateRanges : trust === false ? [] : trust;
    // `true` does not give the number of proxies: one is assumed.
    this.#hopsMax = trust === true ? 1 : ranges.length === 0 ? 0 : Infinity;
    for (const range of ranges) {
      const [address = '', length] = range.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (length === undefined) this.#ranges.addAddress(address, family);
      else this.#ranges.addSubnet(address, Number(length), family);
    }
  }

  /** Makes every request of the server determine its caller by these rules. */
  serve(server: FastifyInstance): void {
    if (this.#hopsMax === 0) return;
    server.addHook('onRequest', (request, _, done) => {
      // Clients through the tunnel are identified by the data of their connection.
      if (!Object.hasOwn(request, 'ip')) this.#name(request);
      done();
    });
  }

  /** The caller of a request that came from `peer` with this X-Forwarded-For. */
  callerOf(peer: string, forwardedFor: string | undefined): string {
    let caller = plain(peer);
    const entries = (forwardedFor ?? '').split(',').slice(-maxEntries);
    for (let hop = 0; hop < this.#hopsMax && this.#isTrusted(caller); hop++) {
      const next = addressIn(entries.pop() ?? '');
      if (next === undefined) break;
      caller = next;
    }
    return caller;
  }

  #name(request: FastifyRequest): void {
    const { headers, socket } = request.raw;
    const peer = socket.remoteAddress ?? '';
    if (!this.#isTrusted(plain(peer))) return;
    const scheme = lastOf(headers['x-forwarded-proto']);
    const host = lastOf(headers['x-forwarded-host']);
    Object.defineProperty(request, 'ip', { value: this.callerOf(peer, textOf(headers['x-forwarded-for'])) });
    if (scheme === 'https' || scheme === 'http')
      Object.defineProperty(request, 'protocol', { value: scheme });
    if (host !== '') Object.defineProperty(request, 'host', { value: host });
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Maximum number of entries; no real chain of proxies is longer. */
const maxEntries = 32;

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0] ?? '';
}

/** The address in an entry, to which some proxies add the port; undefined for an invalid one. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = plain(bare);
  return isIP(address) === 0 ? undefined : address;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

/** The entry that the nearest proxy added. */
function lastOf(header: string | string[] | undefined): string {
  return (textOf(header) ?? '').split(',').at(-1)?.trim() ?? '';
}
