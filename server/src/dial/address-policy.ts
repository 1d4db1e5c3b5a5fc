import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Which IP addresses a source may have. Private ranges are allowed, because cameras use them; the usual targets
 * of request forgery through a source address (this machine, link-local services of a cloud, multicast groups)
 * are not. The documentation ranges of RFC 5737 and RFC 3849 are not checked, because no host responds there.
 */
export type ForbiddenNetwork =
  'loopback' | 'own' | 'unspecified' | 'link-local' | 'multicast' | 'reserved' | 'metadata' | 'private';

export interface AddressPolicy {
  /** Whether the stream was saved by an administrator: then this machine may be a source. */
  readonly allowLoopback: boolean;
  /** The addresses of this machine; by default the current ones of its interfaces. */
  readonly ownAddresses?: BlockList;
  /** Private networks are forbidden too: what is to be reached is a service of the Internet. */
  readonly isPublic?: boolean;
  /** The source is a UDP listener: multicast groups and the unspecified address are what it listens on. */
  readonly isListener?: boolean;
}

type Network = readonly [network: string, prefixBits: number];

/** IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890), the rows that no camera uses. */
const ranges: readonly (readonly [ForbiddenNetwork, readonly Network[]])[] = [
  // Cloud metadata addresses outside 169.254/16, which expose the machine's credentials.
  [
    'metadata',
    [
      ['100.100.100.200', 32],
      ['fd00:ec2::254', 128],
    ],
  ],
  [
    'loopback',
    [
      ['127.0.0.0', 8],
      ['::1', 128],
    ],
  ],
  [
    'unspecified',
    [
      ['0.0.0.0', 8],
      ['::', 128],
    ],
  ],
  [
    'link-local',
    [
      ['169.254.0.0', 16],
      ['fe80::', 10],
    ],
  ],
  [
    'multicast',
    [
      ['224.0.0.0', 4],
      ['ff00::', 8],
    ],
  ],
  [
    'reserved',
    [
      ['192.0.0.0', 24],
      ['240.0.0.0', 4],
      ['100::', 64],
      ['64:ff9b:1::', 48],
      ['2001::', 32],
      ['fec0::', 10],
    ],
  ],
];

/** RFC 1918, RFC 6598 and RFC 4193. */
const privateList = listOf([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['fc00::', 7],
]);

const lists = ranges.map(([reach, networks]) => {
  return { reach, list: listOf(networks) };
});

const noAddresses = new BlockList();

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, isIPv4(network) ? 'ipv4' : 'ipv6');
  return list;
}

/**
 * Why this IP address may not be dialled; undefined if it may. Anything that is not an IP address is reserved.
 */
export function forbiddenNetwork(ip: string, policy: AddressPolicy): ForbiddenNetwork | undefined {
  // Where this machine is allowed anyway it need not be asked which addresses it has, which takes a fifth of a millisecond.
  const isAllowed = policy.allowLoopback && !policy.isListener && !policy.isPublic;
  const own = isAllowed ? noAddresses : policy.ownAddresses;
  const reach = classify(ip, own, policy.isPublic);
  if ((reach === 'loopback' || reach === 'own') && policy.allowLoopback) return undefined;
  if (policy.isListener && (reach === 'multicast' || reach === 'unspecified' || reach === 'own'))
    return undefined;
  return reach;
}

/** Whether this address is the machine itself, on any interface. */
export function leadsHere(ip: string, own?: BlockList): boolean {
  const reach = classify(ip, own);
  return reach === 'loopback' || reach === 'own';
}

/**
 * Queried each time, because interfaces change. Connections to one of the machine's own addresses bypass the
 * firewall, as loopback does.
 */
export function ownAddresses(): BlockList {
  const list = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((found) => found ?? [])) {
    list.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** @param own addresses of this machine; undefined: it is asked, if that matters */
function classify(ip: string, own: BlockList | undefined, isPublic = false): ForbiddenNetwork | undefined {
  if (!isIPv4(ip) && (!isIPv6(ip) || ip.includes('%'))) return 'reserved';
  const embedded = isIPv4(ip) ? undefined : embeddedIn(ip);
  return find(ip, own, isPublic) ?? (embedded === undefined ? undefined : find(embedded, own, isPublic));
}

function find(ip: string, own: BlockList | undefined, isPublic: boolean): ForbiddenNetwork | undefined {
  const family = isIPv4(ip) ? 'ipv4' : 'ipv6';
  return (
    lists.find(({ list }) => list.check(ip, family))?.reach ??
    ((own ?? ownAddresses()).check(ip, family) ? 'own' : undefined) ??
    (isPublic && privateList.check(ip, family) ? 'private' : undefined)
  );
}

/**
 * IPv6 addresses that embed an IPv4 address: mapped ::ffff:0:0/96 and compatible ::/96 (RFC 4291, 2.5.5),
 * translated ::ffff:0:0:0/96 (RFC 2765), NAT64 64:ff9b::/96 (RFC 6052), 6to4 2002::/16 (RFC 3056). The embedded
 * address is checked too.
 */
function embeddedIn(ip: string): string | undefined {
  const groups = expand(ip);
  const head = groups.slice(0, 6).join(':');
  if (groups[0] === 0x2002) return dotted(groups[1], groups[2]);
  if (embeddingPrefixes.has(head)) return dotted(groups[6], groups[7]);
  return undefined;
}

/** The /96 prefixes above, as their six groups in decimal. */
const embeddingPrefixes = new Set(['0:0:0:0:0:0', '0:0:0:0:0:65535', '0:0:0:0:65535:0', '100:65435:0:0:0:0']);

function dotted(high = 0, low = 0): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The eight 16-bit groups of a valid IPv6 address; `URL` normalises every spelling. */
function expand(ip: string): number[] {
  const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].map((group) => Number.parseInt(group, 16));
}
