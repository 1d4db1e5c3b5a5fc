import type { Principal } from '../access/principal.ts';
import { Attempts } from '../access/attempts.ts';
import { mayUseLoopback, requireStream } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Membership } from '../cluster/membership.ts';
import { parseSourceAddress, type SourceAddress } from '../dial/address.ts';
import type { Store } from '../store/store.ts';
import type { SourceProbe, SourceReport } from './source-probe.ts';

/** Who probes, and from where; the signal aborts the probe. */
export interface ProbingCaller {
  readonly principal: Principal;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/** A source as entered by its future or current editor. */
export interface TypedSource {
  readonly url: string;
  /** Of the stream that is being edited. */
  readonly stream_id?: string | undefined;
}

export interface SourceInspectionOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'streams' | 'streamList'>;
  readonly membership: Pick<Membership, 'likelyElsewhere' | 'nodeElsewhere'>;
  readonly sourceProbe: Pick<SourceProbe, 'report' | 'snapshot'>;
}

/** Probes a source before it becomes a stream: who may do so, how often, and from which node. */
export class SourceInspection {
  readonly #options: SourceInspectionOptions;
  /**
   * Without this limit a user who may add streams could scan a network; a person looks at a handful of cameras
   * per minute.
   */
  readonly #perUser: Attempts;
  /** Enough for several users behind one address, but not for many accounts of one attacker. */
  readonly #perAddress: Attempts;

  constructor(options: SourceInspectionOptions) {
    this.#options = options;
    this.#perUser = new Attempts(options.clock, { max: 60, windowMs: 60_000 });
    this.#perAddress = new Attempts(options.clock, { max: 180, windowMs: 60_000 });
  }

  /** The tracks of the source. @throws Fault Forbidden, TooManyRequests, of the address, or of a probe code */
  async report(caller: ProbingCaller, source: TypedSource): Promise<SourceReport> {
    const target = await this.#admit(caller, source);
    return this.#options.sourceProbe.report(await this.#nodeFor(source), target);
  }

  /** The source's first key frame as a JPEG; as `report`. */
  async snapshot(caller: ProbingCaller, source: TypedSource): Promise<Uint8Array> {
    const target = await this.#admit(caller, source);
    return this.#options.sourceProbe.snapshot(await this.#nodeFor(source), target);
  }

  async #admit({ principal, ip, signal }: ProbingCaller, source: TypedSource) {
    const address = await this.#addressOf(principal, source);
    const user = String(principal.user.id);
    this.#perUser.check(user);
    this.#perAddress.check(ip);
    this.#perUser.add(user);
    this.#perAddress.add(ip);
    return { address, allowLoopback: mayUseLoopback(principal), signal };
  }

  /** The other node that runs the stream, or would run it. */
  async #nodeFor({ stream_id: uid }: TypedSource): Promise<string | undefined> {
    const { membership, store } = this.#options;
    return uid === undefined
      ? membership.likelyElsewhere(await store.streams.count())
      : membership.nodeElsewhere(uid);
  }

  /**
   * The address to probe. An address entered without credentials uses those of the stream being edited, if it
   * is on the same host. @throws Fault Forbidden for those who may neither add a stream nor edit this one
   */
  async #addressOf(principal: Principal, { url, stream_id: uid }: TypedSource): Promise<SourceAddress> {
    if (uid === undefined) {
      if (principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user may not add streams.');
      return parseSourceAddress(url);
    }
    const { stream } = await requireStream(this.#options.store.streamList, principal, uid, 'edit');
    const address = parseSourceAddress(url);
    const stored = parseSourceAddress(stream.source);
    const isSameHost = stored.host === address.host && stored.port === address.port;
    if (address.credentials || !stored.credentials || !isSameHost) return address;
    return { ...address, credentials: stored.credentials };
  }
}
