import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isErrorCode, messageOf, type ErrorCode } from '@vidette/contract/errors';
import { readBody, readJson, type BodyLimits } from './answer-body.ts';
import { Avoidance } from './avoidance.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isSignedBy, type KeyPair } from '../base/key-pair.ts';
import { Agent as PlainAgent, request as plainRequest } from '../base/node-http.ts';
import { newNonce } from './node-authenticator.ts';
import type { Peer, Peers } from './peers.ts';
import {
  answerText,
  base64url,
  channelBytes,
  channelLabel,
  claimHeader,
  rpcPath,
  rpcProtocol,
  proofHeader,
  readProof,
  requestText,
  writeClaim,
  type RpcRequest,
  type Claim,
  type Proof,
} from './signature.ts';

export interface NodeRpcOptions {
  /** This node. */
  readonly self: string;
  readonly key: KeyPair;
  readonly peers: Pick<Peers, 'byId'>;
  readonly clock: Clock;
  readonly allowPlainHttp: boolean;
  /** Whether a node's lease holds, as far as this node knows; without leases any node may be up. */
  readonly isThere?: (node: string) => boolean;
}

export interface NodeRpcRequest {
  /** Path of the call between nodes, with its query. */
  readonly path: string;
  /** Sent as JSON; makes the request a POST. */
  readonly json?: unknown;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit until the answer begins. */
  readonly timeoutMs?: number;
  /** Maximum size of an answer that is read completely. */
  readonly body?: Partial<BodyLimits>;
  /**
   * The kind of the call, the first segment of the path by default: calls of one kind are suspended together
   * while the node fails to answer them.
   */
  readonly kind?: string;
}

const answerTimeoutMs = 4_000;
/** A node whose machine is off does not refuse connections, it is silent. */
const connectTimeoutMs = 2_000;
const socketsPerPeer = 512;
const noBytes = Buffer.alloc(0);
const bodyLimits: BodyLimits = { maxBytes: 1024 * 1024, timeoutMs: 4_000 };
const refusalLimits: BodyLimits = { maxBytes: 65_536, timeoutMs: 2_000 };
const reasonMaxLength = 500;

/** The data with which a request was signed, to which its answer must be bound. */
interface SignedRequest {
  readonly claim: Claim;
  /** See `channelOf`. */
  readonly channel: Uint8Array;
}

/** The calling side of the RPC between nodes. */
export class NodeRpc {
  readonly #options: NodeRpcOptions;
  readonly #plain = new PlainAgent({ keepAlive: true, maxSockets: socketsPerPeer });
  // Certificates are not checked: both sides sign data that only the two ends of this connection can know.
  readonly #tls = new TlsAgent({ keepAlive: true, maxSockets: socketsPerPeer, rejectUnauthorized: false });
  /** Established connections, handshake included. */
  readonly #open = new WeakSet<object>();
  /** By node: the time of its run less our monotonic clock, ms. */
  readonly #clockLead = new Map<string, number>();
  /** By node, when it can't be reached; by node and kind of call, when it does not answer these. */
  readonly #avoidance: Avoidance;

  constructor(options: NodeRpcOptions) {
    this.#options = options;
    this.#avoidance = new Avoidance(options.clock);
  }

  /**
   * The answer of an authenticated node; the caller reads or destroys its body.
   * @throws Fault Unavailable when the node is unavailable or not the expected one; the Fault that it answers
   * with
   */
  async ask(node: string, request: NodeRpcRequest): Promise<IncomingMessage> {
    const answer = await this.#answered(node, request);
    this.#avoidance.succeeded(keyOf(node, request));
    return answer;
  }

  async #answered(node: string, request: NodeRpcRequest): Promise<IncomingMessage> {
    const { peers, allowPlainHttp, isThere } = this.#options;
    const peer = await peers.byId(node);
    if (!peer) throw new Fault('Unavailable', `The node ${node} has not reported an address yet.`);
    if (!allowPlainHttp && !peer.address.startsWith('https:')) {
      throw new Fault('Unavailable', `The node ${node} does not use TLS, and cluster.allowPlainHttp is off.`);
    }
    if (isThere?.(node) === false) {
      // What was learned about it before it went down does not apply when it returns.
      this.#avoidance.forget((key) => key === node || key.startsWith(`${node} `));
      throw new Fault('Unavailable', `The node ${node} is unavailable: its lease has expired.`);
    }
    const trialMs = connectTimeoutMs + (request.timeoutMs ?? answerTimeoutMs);
    if (!this.#avoidance.mayAsk(node, connectTimeoutMs)) {
      throw new Fault('Unavailable', `The node ${node} is unavailable.`);
    }
    if (!this.#avoidance.mayAsk(keyOf(node, request), trialMs)) {
      throw new Fault('Unavailable', `The node ${node} failed to answer such a call a moment ago.`);
    }
    const first = await this.#exchange(peer, request);
    if (first.statusCode !== 401) return this.#checked(first, node, request);
    // It knows this node, but this node did not know its time, which the answer contained.
    readBody(first, this.#options.clock, refusalLimits).catch(() => undefined);
    return this.#checked(await this.#exchange(peer, request), node, request);
  }

  /** The same, with the complete body. */
  async askBytes(
    node: string,
    request: NodeRpcRequest,
  ): Promise<{ bytes: Buffer; headers: IncomingHttpHeaders }> {
    const answer = await this.#answered(node, request);
    const limits = { ...bodyLimits, ...request.body };
    const bytes = await this.#minded(node, request, readBody(answer, this.#options.clock, limits));
    return { bytes, headers: answer.headers };
  }

  /** The same, as JSON. The caller must validate it. */
  async askJson(node: string, request: NodeRpcRequest): Promise<unknown> {
    const answer = await this.#answered(node, request);
    const limits = { ...bodyLimits, ...request.body };
    return this.#minded(node, request, readJson(answer, this.#options.clock, limits));
  }

  /** The node's answer to such a call was invalid: it is not called for a while. */
  avoid(node: string, request: Pick<NodeRpcRequest, 'path' | 'kind'>): void {
    this.#avoidance.failed(keyOf(node, request));
  }

  close(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }

  /** For a body that does not arrive as it should: the next calls of its kind fail without waiting. */
  async #minded<T>(node: string, request: NodeRpcRequest, reading: Promise<T>): Promise<T> {
    try {
      const result = await reading;
      this.#avoidance.succeeded(keyOf(node, request));
      return result;
    } catch (error) {
      if (!request.signal?.aborted) this.avoid(node, request);
      throw error;
    }
  }

  async #checked(answer: IncomingMessage, node: string, request: NodeRpcRequest): Promise<IncomingMessage> {
    if ((answer.statusCode ?? 500) < 400) return answer;
    const body = await this.#minded(node, request, readBody(answer, this.#options.clock, refusalLimits)).then(
      (bytes) => parsed(bytes),
      () => undefined,
    );
    const said = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    const code = typeof said === 'string' && isErrorCode(said) ? said : 'Unavailable';
    // The other node does not recognise this node; that is unrelated to the user who made the request.
    const shown = code === 'AuthorizationRequired' || code === 'Forbidden' ? 'Unavailable' : code;
    throw new Fault(shown, reasonIn(body, code) ?? `The node ${node} answered ${answer.statusCode}.`);
  }

  /** One request and its answer, with the proof that the answer is the peer's. */
  #exchange(peer: Peer, request: NodeRpcRequest): Promise<IncomingMessage> {
    const { clock } = this.#options;
    const url = new URL(`${rpcPath}${request.path}`, peer.address);
    const body = request.json === undefined ? noBytes : Buffer.from(JSON.stringify(request.json));
    return new Promise((resolve, reject) => {
      const outgoing = this.#outgoing(url, request, body);
      const giveUp = () => outgoing.destroy(new Error('No answer in time'));
      const cancelConnect = clock.after(connectTimeoutMs, giveUp);
      const cancelAnswer = clock.after(request.timeoutMs ?? answerTimeoutMs, giveUp);
      let signed: SignedRequest | undefined;
      outgoing.once('error', (error: Error) => {
        cancelConnect();
        cancelAnswer();
        // One that accepts the call and is silent may answer others; one that can't be reached answers none.
        if (!request.signal?.aborted) this.#avoidance.failed(signed ? keyOf(peer.id, request) : peer.id);
        reject(new Fault('Unavailable', `The node ${peer.id} is unavailable.`, { cause: error }));
      });
      this.#whenConnected(outgoing, url, (socket) => {
        cancelConnect();
        signed = this.#sign(peer, url, request, body, channelOf(socket));
        outgoing.setHeader(claimHeader, writeClaim(signed.claim));
        outgoing.end(body);
      });
      outgoing.once('response', (answer) => {
        cancelAnswer();
        const proof = signed && proofOf(answer, signed, peer);
        if (!proof) {
          answer.destroy();
          const error = new Error(`The answer with status ${answer.statusCode} contains no proof`);
          reject(
            new Fault('Unavailable', `The node ${peer.id} could not be authenticated.`, { cause: error }),
          );
          return;
        }
        this.#avoidance.succeeded(peer.id);
        this.#clockLead.set(peer.id, proof.timeMs - clock.monotonicMs());
        resolve(answer);
      });
    });
  }

  /** A request that is signed before it is sent, which requires an existing connection. */
  #outgoing(url: URL, request: NodeRpcRequest, body: Buffer): ClientRequest {
    const isTls = url.protocol === 'https:';
    const options = {
      method: methodOf(request),
      agent: isTls ? this.#tls : this.#plain,
      headers: body.length > 0 ? { 'content-type': 'application/json', 'content-length': body.length } : {},
      ...(request.signal && { signal: request.signal }),
    };
    return isTls ? tlsRequest(url, options) : plainRequest(url, options);
  }

  /** Calls `run` when the connection is established, handshake included. */
  #whenConnected(outgoing: ClientRequest, url: URL, run: (socket: Socket) => void): void {
    outgoing.once('socket', (socket) => {
      const connected = () => {
        this.#open.add(socket);
        run(socket);
      };
      // A reused connection is open already.
      if (this.#open.has(socket)) connected();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
  }

  #sign(peer: Peer, url: URL, request: NodeRpcRequest, body: Buffer, channel: Uint8Array): SignedRequest {
    const path = `${url.pathname}${url.search}`;
    return { claim: this.#claim(peer, { method: methodOf(request), path, body, channel }), channel };
  }

  #claim(peer: Peer, asked: RpcRequest): Claim {
    const { self, key, clock } = this.#options;
    const lead = this.#clockLead.get(peer.id);
    // A node that was not called before reports its time with its refusal; one of an earlier version uses the
    // wall clock.
    const timeMs = lead === undefined ? clock.wallMs() : Math.round(clock.monotonicMs() + lead);
    const claim = { protocol: rpcProtocol, from: self, to: peer.id, timeMs, nonce: newNonce() };
    const text = requestText(claim, asked);
    return { ...claim, signature: base64url(key.sign(text)) };
  }
}

function methodOf(request: NodeRpcRequest): 'GET' | 'POST' {
  return request.json === undefined ? 'GET' : 'POST';
}

/** The peer's proof that an answer is its own, to this request on this connection; undefined without a valid one. */
function proofOf(
  { headers, statusCode = 500 }: IncomingMessage,
  { claim, channel }: SignedRequest,
  peer: Peer,
): Proof | undefined {
  const proof = readProof(headers[proofHeader]);
  if (!proof) return undefined;
  const text = answerText(proof, claim, statusCode, channel);
  return isSignedBy(peer.publicKey, text, Buffer.from(proof.signature, 'base64url')) ? proof : undefined;
}

/** Key material that only both ends of a TLS connection know; empty without TLS. */
export function channelOf(socket: unknown): Uint8Array {
  return socket instanceof TLSSocket
    ? socket.exportKeyingMaterial(channelBytes, channelLabel, Buffer.alloc(0))
    : new Uint8Array();
}

/** The part of a refusal beyond its code's sentence, such as why a source fails; undefined if there is none. */
function reasonIn(body: unknown, code: ErrorCode): string | undefined {
  const sentence = `${messageOf(code, 'en')} `;
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const { error } = body;
  if (typeof error !== 'string' || !error.startsWith(sentence)) return undefined;
  return error.slice(sentence.length, sentence.length + reasonMaxLength);
}

/** Undefined for invalid JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function keyOf(
  node: string,
  { path, kind = /^[^/?]*/.exec(path)?.[0] }: Pick<NodeRpcRequest, 'path' | 'kind'>,
): string {
  return `${node} ${kind}`;
}
