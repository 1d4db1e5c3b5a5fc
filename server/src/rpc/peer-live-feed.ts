import type { IncomingMessage } from 'node:http';
import { scatteredMs } from '../base/backoff.ts';
import { delay, type Clock } from '../base/clock.ts';
import { FrameReader } from '../base/frame-reader.ts';
import type { Log } from '../base/log.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { aliveMs } from './live-feed.ts';
import type { NodeRpc } from './node-rpc.ts';
import { decodeEvent } from './sample-wire.ts';

export interface PeerLiveFeedOptions {
  readonly stream: Stream;
  readonly variant: 'main' | 'sub';
  readonly rpc: Pick<NodeRpc, 'ask'>;
  /** The node that runs the stream now; undefined while none does. */
  readonly nodeOf: (uid: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between attempts, times 0.5 to 1.5: a node that restarts is back within seconds. */
const retryMs = 700;
/** A node that is up is never silent for this long. */
const silenceMs = 6 * aliveMs;

/**
 * The live video of a stream that another node runs, written into this node's hub for as long as it has viewers
 * here: fetched once over the network, however many they are. It follows the stream to the node that takes it
 * over, and waits for an unavailable one.
 */
export class PeerLiveFeed {
  readonly #options: PeerLiveFeedOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #isFirst = true;

  constructor(options: PeerLiveFeedOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends permanently, idempotent; the hub is paused with the cause. */
  async stop(cause: PauseCause): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#options.stream.pause(cause);
  }

  async #run(): Promise<void> {
    const { clock, stream, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#peerFeed();
      } catch (error) {
        if (signal.aborted) return;
        log.debug({ err: error, stream: stream.uid }, 'Live video from another node was interrupted');
      }
      if (signal.aborted) return;
      await delay(clock, scatteredMs(retryMs, clock), signal).catch(() => undefined);
    }
  }

  /** One connection from start to end. */
  async #peerFeed(): Promise<void> {
    const { stream, variant, rpc, nodeOf } = this.#options;
    const { signal } = this.#stopping;
    const node = nodeOf(stream.uid);
    // The state is then the same as before, e.g. drained.
    if (node === undefined) return;
    if (this.#isFirst) stream.pause('waiting');
    this.#isFirst = false;
    try {
      await this.#readFrom(await rpc.ask(node, { path: `live/${stream.uid}?picture=${variant}`, signal }));
    } finally {
      if (!signal.aborted) stream.pause('unreachable');
    }
  }

  async #readFrom(answer: IncomingMessage): Promise<void> {
    const { clock } = this.#options;
    let lastMs = clock.monotonicMs();
    const cancelWatch = clock.every(aliveMs, () => {
      if (clock.monotonicMs() - lastMs > silenceMs) answer.destroy(new Error('The node fell silent'));
    });
    const frames = new FrameReader((frame) => this.#take(frame));
    try {
      for await (const chunk of answer) {
        lastMs = clock.monotonicMs();
        frames.push(chunk as Buffer);
      }
    } finally {
      cancelWatch();
      answer.destroy();
    }
  }

  #take(frame: Buffer): void {
    const { stream } = this.#options;
    const event = decodeEvent(frame);
    switch (event?.type) {
      case 'tracks':
        stream.setTracks(event.tracks);
        return;
      case 'sample':
        stream.write(event.sample);
        return;
      case 'pause':
        stream.pause(event.cause);
        return;
      case 'alive':
      case undefined:
    }
  }
}
