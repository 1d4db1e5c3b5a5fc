import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Fault } from '../base/fault.ts';
import { KeyPair, seedBytes } from '../base/key-pair.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { NodeAuthenticator } from './node-authenticator.ts';
import { channelOf, NodeRpc } from './node-rpc.ts';
import type { Peer } from './peers.ts';
import { claimHeader, proofHeader, readProof } from './signature.ts';

/** An empty body. */
export const noBytes = new Uint8Array();

export interface Pair {
  readonly rpc: NodeRpc;
  /** Of the calling node. */
  readonly rpcClock: ManualClock;
  readonly nodeAuthenticator: NodeAuthenticator;
  readonly north: KeyPair;
  readonly south: KeyPair;
  /** Of the called node. */
  readonly clock: ManualClock;
  readonly server: Server;
  /** Headers of incoming requests, oldest first. */
  readonly claims: string[];
}

export interface PairOptions {
  readonly allowPlainHttp?: boolean;
  /** The called node has a certificate, self-signed. */
  readonly isTls?: boolean;
  /** Puts a server between the nodes: receives the address of the called node, and returns its own. */
  readonly between?: (address: string) => Promise<string>;
  /** The key under which the calling node finds the other one. */
  readonly knownAs?: KeyPair;
  /** The key that signs the answer instead of the node's own. */
  readonly answersAs?: KeyPair;
  /** Whether the lease of the called node holds. */
  readonly isThere?: () => boolean;
  /** How the called node answers a valid call; by default with its path. */
  readonly respond?: (path: string, reply: SignedReply) => void;
}

/** An answer whose head is signed when it is sent. */
export interface SignedReply {
  readonly raw: ServerResponse;
  /** Sends the head; the body may follow or not. */
  begin(status?: number, headers?: Record<string, string>): void;
}

/** Two nodes: north calls south. */
export async function pair(t: TestContext, options: PairOptions = {}): Promise<Pair> {
  const { allowPlainHttp = true } = options;
  const [north, south] = [new KeyPair(randomBytes(seedBytes)), new KeyPair(randomBytes(seedBytes))];
  const clock = new ManualClock();
  const peerOf = (id: string, key: KeyPair, address: string): Peer => ({
    id,
    address,
    publicKey: key.publicBytes,
  });
  const nodeAuthenticator = new NodeAuthenticator({
    self: 'south',
    key: options.answersAs ?? south,
    clock,
    allowPlainHttp,
    peers: { byId: async (id) => (id === 'north' ? peerOf('north', north, 'http://nowhere') : undefined) },
  });
  const claims: string[] = [];
  const answer: RequestListener = (request, reply) => {
    const channel = channelOf(request.socket);
    const header = String(request.headers[claimHeader]);
    claims.push(header);
    const asked = { method: 'GET', path: request.url ?? '', body: noBytes, channel };
    nodeAuthenticator.admit(header, asked).then(
      ({ claim, refusal }) => {
        const begin = (status = 200, headers = {}) =>
          reply.writeHead(status, {
            ...headers,
            [proofHeader]: nodeAuthenticator.proofFor(claim, status, channel),
          });
        if (refusal) {
          begin(401);
          reply.end();
          return;
        }
        if (options.respond) {
          options.respond(request.url ?? '', { raw: reply, begin });
          return;
        }
        begin();
        reply.end(JSON.stringify({ path: request.url }));
      },
      (error: Fault) => reply.writeHead(401).end(JSON.stringify({ code: error.code })),
    );
  };
  const server = options.isTls ? createTlsServer(selfSigned(), answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `${options.isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = (await options.between?.(own)) ?? own;
  const rpcClock = new ManualClock();
  const { isThere } = options;
  const rpc = new NodeRpc({
    self: 'north',
    key: north,
    clock: rpcClock,
    ...(isThere && { isThere }),
    allowPlainHttp,
    peers: {
      byId: async (id) => (id === 'south' ? peerOf('south', options.knownAs ?? south, address) : undefined),
    },
  });
  t.after(() => {
    rpc.close();
    nodeAuthenticator.close();
    server.close();
    server.closeAllConnections();
  });
  return { rpc, rpcClock, nodeAuthenticator, north, south, clock, server, claims };
}

/** The current time of the called node, from its answers. */
export function timeOf(nodeAuthenticator: NodeAuthenticator): number {
  const claim = { protocol: 1, from: 'north', to: 'south', timeMs: 0, nonce: 'time', signature: '' };
  return readProof(nodeAuthenticator.proofFor(claim, 200, noBytes))?.timeMs ?? 0;
}

/** A key and a self-signed certificate. */
export function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-link-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', key, '-out', cert, '-subj', '/CN=vidette'];
    execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
