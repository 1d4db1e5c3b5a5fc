import { randomBytes, randomInt } from 'node:crypto';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isSignedBy, type KeyPair } from '../base/key-pair.ts';
import type { Peers } from './peers.ts';
import {
  answerText,
  areCompatible,
  base64url,
  claimLifetimeMs,
  rpcProtocol,
  readClaim,
  requestText,
  writeProof,
  type RpcRequest,
  type Claim,
} from './signature.ts';

export interface NodeAuthenticatorOptions {
  /** This node. */
  readonly self: string;
  readonly key: KeyPair;
  readonly peers: Pick<Peers, 'byId'>;
  readonly clock: Clock;
  /** Whether nodes may communicate without TLS. */
  readonly allowPlainHttp: boolean;
}

/** An authenticated caller, or a known one with the wrong time. */
export interface AuthResult {
  readonly claim: Claim;
  /** Why it is refused anyway; the answer contains this node's time. */
  readonly refusal: Fault | undefined;
}

/** Maximum number of requests within a lifetime; more are not normal traffic between nodes. */
const noncesMax = 200_000;
const sweepMs = 10_000;

/**
 * Authenticates other nodes: each request is signed by its node, for this node and the current time, and is
 * valid once. The current time is counted by each run for itself, from a random number, so that setting a clock
 * has no effect on it, and a request to an earlier run, which had other nonces, can't be replayed to this one.
 */
export class NodeAuthenticator {
  readonly #options: NodeAuthenticatorOptions;
  /** By nonce, until when it is remembered, ms. */
  readonly #seen = new Map<string, number>();
  /** The time of this run at its start. */
  readonly #openedMs = randomInt(1_000_000_000_000, 200_000_000_000_000);
  readonly #openedMonotonicMs: number;
  readonly #cancel: Cancel;

  constructor(options: NodeAuthenticatorOptions) {
    this.#options = options;
    this.#openedMonotonicMs = options.clock.monotonicMs();
    this.#cancel = options.clock.every(sweepMs, () => this.#sweep());
  }

  /**
   * @throws Fault AuthorizationRequired for a caller that is not a node, ActionNotAcceptable for one whose
   * version is too far away
   */
  async admit(header: unknown, request: RpcRequest): Promise<AuthResult> {
    const { self, peers, allowPlainHttp } = this.#options;
    if (request.channel.length === 0 && !allowPlainHttp) {
      throw new Fault(
        'Forbidden',
        'Nodes use TLS for connections between them, unless cluster.allowPlainHttp is on.',
      );
    }
    const claim = readClaim(header);
    const peer = claim && claim.to === self ? await peers.byId(claim.from) : undefined;
    if (
      !claim ||
      !peer ||
      !isSignedBy(peer.publicKey, requestText(claim, request), Buffer.from(claim.signature, 'base64url'))
    ) {
      throw new Fault('AuthorizationRequired', 'Only nodes of this cluster may call here.');
    }
    const nowMs = this.#nowMs();
    if (!areCompatible(claim.protocol, rpcProtocol)) {
      throw new Fault(
        'ActionNotAcceptable',
        `This node speaks protocol ${rpcProtocol}, not ${claim.protocol}.`,
      );
    }
    if (Math.abs(nowMs - claim.timeMs) > claimLifetimeMs || claim.timeMs < this.#openedMs) {
      return { claim, refusal: new Fault('AuthorizationRequired', 'The request is too old or too new.') };
    }
    if (this.#seen.has(claim.nonce) || this.#seen.size >= noncesMax) {
      throw new Fault('AuthorizationRequired', 'The request was already received.');
    }
    this.#seen.set(claim.nonce, claim.timeMs + claimLifetimeMs);
    return { claim, refusal: undefined };
  }

  /** The signature of an answer with this status, by which the caller authenticates this node. */
  proofFor(claim: Claim, status: number, channel: Uint8Array): string {
    const { key } = this.#options;
    const proof = { protocol: rpcProtocol, timeMs: this.#nowMs() };
    const signature = base64url(key.sign(answerText(proof, claim, status, channel)));
    return writeProof({ ...proof, signature });
  }

  close(): void {
    this.#cancel();
  }

  /** Of this run, ms. */
  #nowMs(): number {
    return this.#openedMs + Math.round(this.#options.clock.monotonicMs() - this.#openedMonotonicMs);
  }

  #sweep(): void {
    const nowMs = this.#nowMs();
    for (const [nonce, untilMs] of this.#seen) if (untilMs < nowMs) this.#seen.delete(nonce);
  }
}

/** A value that no earlier request had. */
export function newNonce(): string {
  return randomBytes(18).toString('base64url');
}
