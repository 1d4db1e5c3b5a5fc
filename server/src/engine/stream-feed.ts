import { Fault } from '../base/fault.ts';
import { parseSourceAddress, type SourceAddress } from '../dial/address.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { StreamLog } from '../ingest/stream-log.ts';
import { Supervisor, type SupervisorStatus } from '../ingest/supervisor.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ManagedStreamTools, PeerFeed } from './station-tools.ts';

const unreadableAddress =
  'The stored address cannot be read: secret.key is not the key it was stored with. Restore that key, or enter the address again.';

export interface StreamFeedOptions {
  readonly stream: Stream;
  readonly log: StreamLog;
  readonly tools: Pick<ManagedStreamTools, 'clock' | 'engines' | 'noFramesMs' | 'peerFeed'>;
  /** Called after every change of the source's status. */
  readonly onStatus: () => void;
  /** Whether the stream is recorded elsewhere meanwhile, so that the source may take its time. */
  readonly isStandby?: () => boolean;
}

/** After this many attempts without a frame a source can't be reached; the first may have been unlucky. */
const mostAttempts = 3;
/** A camera may take long for a second session, ms: to answer a request, and to send the first frame. */
const patience = { replyTimeoutMs: 45_000, firstFrameMs: 90_000 };

/**
 * Writes to a stream's hub: the camera's supervisor while this node runs the stream, or the live video of the
 * node that does. The stream decides which of them is wanted.
 */
export class StreamFeed {
  readonly #options: StreamFeedOptions;
  #supervisor: Supervisor | undefined;
  /** Why the address cannot even be tried. */
  #addressFault: Fault | undefined;
  /** Set while another node runs the stream and a viewer watches it here. */
  #peerFeed: PeerFeed | undefined;
  /** Why the source can't be reached, once that is certain. */
  #refusedFor: Fault | undefined;
  /** Undefined until it is asked for. */
  #refusal: PromiseWithResolvers<never> | undefined;

  constructor(options: StreamFeedOptions) {
    this.#options = options;
  }

  /** Rejects with a Fault when the source has failed for the third time in a row, or refused the password. */
  get refusal(): Promise<never> {
    if (!this.#refusal) {
      this.#refusal = Promise.withResolvers();
      this.#refusal.promise.catch(() => undefined);
      if (this.#refusedFor) this.#refusal.reject(this.#refusedFor);
    }
    return this.#refusal.promise;
  }

  /** The source's supervisor while a source is wanted: attempts, engine, since when. */
  get supervisor(): Supervisor | undefined {
    return this.#supervisor;
  }

  /** The source's status, or the reason why there is none; undefined if no source is wanted. */
  get sourceStatus(): SupervisorStatus | Fault | undefined {
    return this.#supervisor?.status ?? this.#addressFault;
  }

  /** Starts the source, unless it runs or its address was found to be invalid. */
  startSource({ source, allowLoopback }: Pick<ManagedStreamSettings, 'source' | 'allowLoopback'>): void {
    if (this.#supervisor || this.#addressFault) return;
    const address = this.#readAddress(source);
    if (!address) return;
    const { stream, log, tools, onStatus, isStandby = () => false } = this.#options;
    const patienceNow = () => (isStandby() ? patience : {});
    const supervisor = new Supervisor({
      address,
      stream,
      clock: tools.clock,
      log,
      openSession: tools.engines.opener(address, allowLoopback, stream, patienceNow),
      reach: tools.engines.reach(address, allowLoopback),
      noFramesMs: tools.noFramesMs,
      limits: patienceNow,
      onStatus,
      onFailure: (fault, attempts) => {
        if (attempts >= mostAttempts || fault.code === 'HTTP_UNAUTHORIZED') this.#noteRefusal(fault);
      },
    });
    this.#supervisor = supervisor;
    supervisor.start();
  }

  /** Stops the source; an invalid address is tried again afterwards. Idempotent. */
  async stopSource(cause: PauseCause): Promise<void> {
    this.#addressFault = undefined;
    await this.#supervisor?.stop(cause);
    this.#supervisor = undefined;
  }

  /** Relays the live video from the node that runs the stream, unless it does so already. */
  startPeerFeed(): void {
    const { stream, tools } = this.#options;
    this.#peerFeed ??= tools.peerFeed(stream, 'main');
  }

  /** Ends the relay. Idempotent. */
  async stopPeerFeed(cause: PauseCause): Promise<void> {
    const peerFeed = this.#peerFeed;
    this.#peerFeed = undefined;
    await peerFeed?.stop(cause);
  }

  #noteRefusal(fault: Fault): void {
    this.#refusedFor ??= fault;
    this.#refusal?.reject(fault);
  }

  /** Undefined if the address is invalid; that remains its status until the source is stopped. */
  #readAddress(source: string): SourceAddress | undefined {
    try {
      if (source === '') throw new Fault('CREDENTIALS_ERR', unreadableAddress);
      return parseSourceAddress(source);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#addressFault = error;
      this.#noteRefusal(error);
      this.#options.log.add('error', error.message);
      return undefined;
    }
  }
}
