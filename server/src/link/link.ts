import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { TLSSocket } from 'node:tls';
import { isErrorCode } from '@vidette/contract/errors';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isSignedBy, type KeyPair } from '../base/key-pair.ts';
import { newNonce } from './gate.ts';
import type { Peer, Peers } from './peers.ts';
import {
  answerText,
  base64url,
  channelBytes,
  channelLabel,
  claimHeader,
  linkPath,
  linkProtocol,
  proofHeader,
  readProof,
  requestText,
  writeClaim,
  type Asked,
  type Claim,
} from './signature.ts';

export interface LinkOptions {
  /** This node. */
  readonly self: string;
  readonly key: KeyPair;
  readonly peers: Pick<Peers, 'byId'>;
  readonly clock: Clock;
  readonly allowPlainHttp: boolean;
}

export interface LinkRequest {
  /** Below the link's path, with its query. */
  readonly path: string;
  /** What goes along as JSON; then it is a POST. */
  readonly json?: unknown;
  /** Aborted when nobody wants the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** Until the answer begins. */
  readonly timeoutMs?: number;
}

const answerTimeoutMs = 10_000;
/** A node whose machine is off does not refuse, it is silent. */
const connectTimeoutMs = 2_000;
/** So long a node that could not be reached is not tried again. */
const awayMs = 1_000;
const socketsPerPeer = 512;
const noBytes = Buffer.alloc(0);
const jsonMaxBytes = 64 * 1024 * 1024;

/** The asking side of the link between nodes. */
export class Link {
  readonly #options: LinkOptions;
  readonly #plain = new PlainAgent({ keepAlive: true, maxSockets: socketsPerPeer });
  // Certificates are nobody's business here: both sides sign what only the two ends of this connection can know.
  readonly #tls = new TlsAgent({ keepAlive: true, maxSockets: socketsPerPeer, rejectUnauthorized: false });
  /** Connections that are made, handshake and all. */
  readonly #open = new WeakSet<object>();
  /** By node: its clock less ours, ms. */
  readonly #clockLead = new Map<string, number>();
  /** By node: when it could not be reached, monotonic ms. */
  readonly #awaySince = new Map<string, number>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /**
   * The answer of a node that has proven itself; its body is the caller's to read or to destroy.
   * @throws Fault Unavailable when the node is away or is not who it should be; the Fault that it answers with
   */
  async ask(node: string, request: LinkRequest): Promise<IncomingMessage> {
    const { peers, clock, allowPlainHttp } = this.#options;
    const peer = await peers.byId(node);
    if (!peer) throw new Fault('Unavailable', `The node ${node} has told no address yet.`);
    if (!allowPlainHttp && !peer.address.startsWith('https:')) {
      throw new Fault('Unavailable', `The node ${node} speaks no TLS, and cluster.allowPlainHttp is off.`);
    }
    if (clock.monotonicMs() - (this.#awaySince.get(node) ?? -Infinity) < awayMs) {
      throw new Fault('Unavailable', `The node ${node} is away.`);
    }
    const first = await this.#exchange(peer, request);
    if (first.statusCode !== 401) return this.#checked(first, node);
    // It knows us, but not our time; its answer told us its own.
    first.resume();
    return this.#checked(await this.#exchange(peer, request), node);
  }

  /** The same, as JSON. */
  async askJson(node: string, request: LinkRequest): Promise<unknown> {
    return readJson(await this.ask(node, request));
  }

  close(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }

  async #checked(answer: IncomingMessage, node: string): Promise<IncomingMessage> {
    if ((answer.statusCode ?? 500) < 400) return answer;
    const body = (await readJson(answer).catch(() => ({}))) as { code?: unknown };
    const code = typeof body.code === 'string' && isErrorCode(body.code) ? body.code : 'Unavailable';
    // It is not the person who asked that the other node does not know, but this node.
    const shown = code === 'AuthorizationRequired' || code === 'Forbidden' ? 'Unavailable' : code;
    throw new Fault(shown, `The node ${node} answers ${answer.statusCode}.`);
  }

  #exchange(peer: Peer, request: LinkRequest): Promise<IncomingMessage> {
    const { clock } = this.#options;
    const url = new URL(`${linkPath}${request.path}`, peer.address);
    const isTls = url.protocol === 'https:';
    const path = `${url.pathname}${url.search}`;
    return new Promise((resolve, reject) => {
      const method = request.json === undefined ? 'GET' : 'POST';
      const body = request.json === undefined ? noBytes : Buffer.from(JSON.stringify(request.json));
      const options = {
        method,
        agent: isTls ? this.#tls : this.#plain,
        headers: body.length > 0 ? { 'content-type': 'application/json', 'content-length': body.length } : {},
        ...(request.signal && { signal: request.signal }),
      };
      const outgoing: ClientRequest = isTls ? tlsRequest(url, options) : plainRequest(url, options);
      const fail = (error: Error) => {
        cancelConnect();
        cancelAnswer();
        if (!request.signal?.aborted) this.#awaySince.set(peer.id, clock.monotonicMs());
        reject(new Fault('Unavailable', `The node ${peer.id} is away.`, { cause: error }));
      };
      const giveUp = () => outgoing.destroy(new Error('no answer in time'));
      const cancelConnect = clock.after(connectTimeoutMs, giveUp);
      const cancelAnswer = clock.after(request.timeoutMs ?? answerTimeoutMs, giveUp);
      outgoing.once('error', fail);
      let claim: Claim | undefined;
      let channel: Uint8Array = new Uint8Array();
      outgoing.once('socket', (socket) => {
        const send = () => {
          cancelConnect();
          this.#open.add(socket);
          channel = channelOf(socket);
          claim = this.#claim(peer, { method, path, body, channel });
          outgoing.setHeader(claimHeader, writeClaim(claim));
          outgoing.end(body);
        };
        // A connection that was kept is open already.
        if (this.#open.has(socket)) send();
        else socket.once(isTls ? 'secureConnect' : 'connect', send);
      });
      outgoing.once('response', (answer) => {
        cancelAnswer();
        const statusCode = answer.statusCode ?? 500;
        const proof = readProof(answer.headers[proofHeader]);
        const isProven =
          proof !== undefined &&
          claim !== undefined &&
          isSignedBy(
            peer.publicKey,
            answerText(proof, claim, statusCode, channel),
            Buffer.from(proof.signature, 'base64url'),
          );
        if (!isProven) {
          answer.destroy();
          const error = new Error(`the answer with status ${statusCode} carries no proof`);
          reject(new Fault('Unavailable', `The node ${peer.id} is not who it should be.`, { cause: error }));
          return;
        }
        this.#awaySince.delete(peer.id);
        this.#clockLead.set(peer.id, proof.timeMs - clock.wallMs());
        resolve(answer);
      });
    });
  }

  #claim(peer: Peer, asked: Asked): Claim {
    const { self, key, clock } = this.#options;
    const timeMs = clock.wallMs() + (this.#clockLead.get(peer.id) ?? 0);
    const claim = { protocol: linkProtocol, from: self, to: peer.id, timeMs, nonce: newNonce() };
    const text = requestText(claim, asked);
    return { ...claim, signature: base64url(key.sign(text)) };
  }
}

/** What both ends of a TLS connection know and nobody else; empty without TLS. */
export function channelOf(socket: unknown): Uint8Array {
  return socket instanceof TLSSocket
    ? socket.exportKeyingMaterial(channelBytes, channelLabel, Buffer.alloc(0))
    : new Uint8Array();
}

async function readJson(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const piece = chunk as Buffer;
      bytes += piece.length;
      if (bytes > jsonMaxBytes) throw new Error('an answer without end');
      chunks.push(piece);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw new Fault('Unavailable', 'A node broke off in its answer.', { cause });
  }
}
