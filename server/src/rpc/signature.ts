import { createHash } from 'node:crypto';

/**
 * What two nodes sign for each other. A request carries its claim in one header and the answer its own in
 * another, both as `name=value` pairs. The signed texts contain everything that an attacker could replace:
 * sender and receiver, the request, its time, nonce and body, and the TLS connection (RFC 5705: the keying
 * material of two connections differs, so that no one in between can forward a request).
 */

/**
 * Incremented when a node could misinterpret another. Nodes whose numbers differ by one understand each other.
 */
export const rpcProtocol = 1;
export const claimHeader = 'x-vidette-link';
export const proofHeader = 'x-vidette-link-proof';
/** Path prefix of every call between nodes. */
export const rpcPath = '/link/';

/** A request expires after this time; the receiver remembers it for as long. */
export const claimLifetimeMs = 30_000;

/** The claim of a request. */
export interface Claim {
  readonly protocol: number;
  readonly from: string;
  readonly to: string;
  /** In the time of `to`'s run, as far as `from` knows it; ms from an arbitrary start. */
  readonly timeMs: number;
  readonly nonce: string;
  /** Base64url, as all bytes here. */
  readonly signature: string;
}

/** The claim of an answer. */
export interface Proof {
  readonly protocol: number;
  /** In the time of the answering node's run, ms from an arbitrary start. */
  readonly timeMs: number;
  readonly signature: string;
}

/** The request, and its connection. */
export interface RpcRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Keying material of the TLS connection; empty without TLS. */
  readonly channel: Uint8Array;
}

/** The label under which both ends of a TLS connection derive the same bytes. */
export const channelLabel = 'EXPORTER-vidette-link';
export const channelBytes = 32;

export function requestText(claim: Omit<Claim, 'signature'>, request: RpcRequest): Buffer {
  return lines([
    'vidette link request',
    String(claim.protocol),
    claim.from,
    claim.to,
    request.method,
    request.path,
    String(claim.timeMs),
    claim.nonce,
    createHash('sha256').update(request.body).digest('base64url'),
    base64url(request.channel),
  ]);
}

/** `claim`: the claim of the request being answered. */
export function answerText(
  proof: Omit<Proof, 'signature'>,
  claim: Claim,
  status: number,
  channel: Uint8Array,
): Buffer {
  return lines([
    'vidette link answer',
    String(proof.protocol),
    claim.to,
    claim.from,
    claim.nonce,
    String(status),
    String(proof.timeMs),
    base64url(channel),
  ]);
}

export function writeClaim(claim: Claim): string {
  const { protocol, from, to, timeMs, nonce, signature } = claim;
  return `protocol=${protocol}, from=${from}, to=${to}, time=${timeMs}, nonce=${nonce}, signature=${signature}`;
}

export function writeProof({ protocol, timeMs, signature }: Proof): string {
  return `protocol=${protocol}, time=${timeMs}, signature=${signature}`;
}

/** Undefined for an invalid one. */
export function readClaim(header: unknown): Claim | undefined {
  const pairs = pairsOf(header);
  const [protocol, timeMs] = [wholeNumber(pairs.get('protocol')), wholeNumber(pairs.get('time'))];
  const [from, to] = [pairs.get('from'), pairs.get('to')];
  const [nonce, signature] = [pairs.get('nonce'), pairs.get('signature')];
  if (protocol === undefined || timeMs === undefined || !from || !to || !nonce || !signature)
    return undefined;
  return { protocol, from, to, timeMs, nonce, signature };
}

/** Undefined for an invalid one. */
export function readProof(header: unknown): Proof | undefined {
  const pairs = pairsOf(header);
  const [protocol, timeMs] = [wholeNumber(pairs.get('protocol')), wholeNumber(pairs.get('time'))];
  const signature = pairs.get('signature');
  return protocol === undefined || timeMs === undefined || !signature
    ? undefined
    : { protocol, timeMs, signature };
}

/** Whether nodes of these two protocols understand each other. */
export function areCompatible(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1;
}

const headerMaxLength = 1_024;

function pairsOf(header: unknown): Map<string, string> {
  if (typeof header !== 'string' || header.length > headerMaxLength) return new Map();
  return new Map(
    header.split(', ').flatMap((pair): [string, string][] => {
      const [, name = '', value = ''] = /^(\w+)=([A-Za-z0-9._-]{1,128})$/.exec(pair) ?? [];
      return name === '' ? [] : [[name, value]];
    }),
  );
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function lines(parts: readonly string[]): Buffer {
  return Buffer.from(parts.join('\n'));
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}
