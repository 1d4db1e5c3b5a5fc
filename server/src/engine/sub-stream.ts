import { Fault } from '../base/fault.ts';
import { parseSourceAddress, type SourceAddress } from '../dial/address.ts';
import { StreamLog } from '../ingest/stream-log.ts';
import { Supervisor } from '../ingest/supervisor.ts';
import { Stream } from '../hub/stream.ts';
import { ViewerDemand } from './viewer-demand.ts';
import type { PeerFeed, ManagedStreamTools } from './station-tools.ts';

export interface SubStreamOptions {
  readonly uid: string;
  /** As stored, with credentials. */
  readonly source: string;
  readonly allowLoopback: boolean;
  /** Another node runs the stream, and the video comes from there. */
  readonly isFromPeer: boolean;
  readonly tools: Pick<ManagedStreamTools, 'clock' | 'log' | 'engines' | 'noFramesMs' | 'peerFeed'>;
}

/**
 * The sub-stream of a camera, for tiles: a hub and a source of its own that run only while a viewer watches. It
 * is never recorded and doesn't affect the stream's state: viewers that can't get it use the main stream.
 */
export class SubStream {
  readonly stream: Stream;
  readonly demand: ViewerDemand;
  readonly #options: SubStreamOptions;
  readonly #log: StreamLog;
  #supervisor: Supervisor | undefined;
  #peerFeed: PeerFeed | undefined;
  /** Starting and stopping happen one after the other. */
  #moves: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SubStreamOptions) {
    const { clock, log } = options.tools;
    this.#options = options;
    this.stream = new Stream(options.uid);
    this.#log = new StreamLog(clock, log, { stream: options.uid, picture: 'sub' });
    this.demand = new ViewerDemand(clock, () => this.#move());
  }

  /** Created from this address and policy, here or on another node. */
  isOf(source: string | null, allowLoopback: boolean, isFromPeer: boolean): boolean {
    const own = this.#options;
    return source === own.source && allowLoopback === own.allowLoopback && isFromPeer === own.isFromPeer;
  }

  /** Ends source and hub; idempotent. */
  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.demand.clear();
      this.#enqueue(async () => {
        await this.#stop('stopped');
        this.stream.end('source-changed');
      });
    }
    return this.#moves;
  }

  #move(): void {
    if (this.#isClosed) return;
    this.#enqueue(async () => {
      if (this.demand.isHeld && !this.#isClosed) this.#start();
      else await this.#stop('idle');
    });
  }

  #start(): void {
    if (this.#options.isFromPeer) {
      this.#peerFeed ??= this.#options.tools.peerFeed(this.stream, 'sub');
      return;
    }
    const address = this.#readAddress();
    if (this.#supervisor || !address) return;
    const { allowLoopback, tools } = this.#options;
    this.#supervisor = new Supervisor({
      address,
      stream: this.stream,
      clock: tools.clock,
      log: this.#log,
      openSession: tools.engines.opener(address, allowLoopback, this.stream),
      reach: tools.engines.reach(address, allowLoopback),
      noFramesMs: tools.noFramesMs,
    });
    this.#supervisor.start();
  }

  async #stop(cause: 'idle' | 'stopped'): Promise<void> {
    const supervisor = this.#supervisor;
    const peerFeed = this.#peerFeed;
    this.#supervisor = undefined;
    this.#peerFeed = undefined;
    await supervisor?.stop(cause);
    await peerFeed?.stop(cause);
  }

  /**
   * Undefined if the stored address is invalid or cannot be read; the stream's own address reports this to
   * users.
   */
  #readAddress(): SourceAddress | undefined {
    try {
      return parseSourceAddress(this.#options.source);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#log.add('error', error.message);
      return undefined;
    }
  }

  #enqueue(step: () => Promise<void>): void {
    this.#moves = this.#moves.then(step).catch((err: unknown) => {
      this.#log.add('error', `The sub-stream could not be started or stopped: ${String(err)}`, { err });
    });
  }
}
