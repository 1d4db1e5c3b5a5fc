import type { Readable } from 'node:stream';
import { scatteredMs } from '../base/backoff.ts';
import { delay, type Clock } from '../base/clock.ts';
import { FrameReader } from '../base/frame-reader.ts';
import type { Log } from '../base/log.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { aliveMs } from './live-feed.ts';
import { decodeEvent } from './sample-wire.ts';

export interface FeedReceiverOptions {
  readonly stream: Stream;
  /**
   * Connects to the `LiveFeed` of what runs the stream now; undefined while nothing does. Rejects when that can't be
   * reached.
   */
  readonly connect: (signal: AbortSignal) => Promise<Readable> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between attempts, times 0.5 to 1.5: whatever restarts is back within seconds. */
const retryMs = 700;
/** Pause before the first attempt after a feed that worked, ms. */
const switchMs = 50;
/** A live feed is never silent for this long. */
const silenceMs = 6 * aliveMs;

/**
 * The live video of a stream that another process or node runs, written into a hub of this process for as long as it
 * has viewers here: fetched once, however many they are. It follows the stream to whatever takes it over, and waits
 * for an unavailable one.
 */
export class FeedReceiver {
  readonly #options: FeedReceiverOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #isFirst = true;
  /** The last connection delivered something. */
  #hasDelivered = false;

  constructor(options: FeedReceiverOptions) {
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
        await this.#receive();
      } catch (error) {
        if (signal.aborted) return;
        log.debug(
          { err: error, stream: stream.uid },
          'Live video from another process or node was interrupted',
        );
      }
      if (signal.aborted) return;
      // After a feed that worked, what runs the stream has changed, as a rule: its viewers need not notice.
      const pauseMs = this.#hasDelivered ? switchMs : scatteredMs(retryMs, clock);
      await delay(clock, pauseMs, signal).catch(() => undefined);
    }
  }

  /** One connection from start to end. */
  async #receive(): Promise<void> {
    const { stream, connect } = this.#options;
    const { signal } = this.#stopping;
    const connecting = connect(signal);
    // The state is then the same as before, e.g. drained.
    if (!connecting) {
      this.#hasDelivered = false;
      return;
    }
    if (this.#isFirst) stream.pause('waiting');
    this.#isFirst = false;
    this.#hasDelivered = false;
    try {
      await this.#readFrom(await connecting);
    } finally {
      if (!signal.aborted && !this.#hasDelivered) stream.pause('unreachable');
    }
  }

  async #readFrom(feed: Readable): Promise<void> {
    const { clock } = this.#options;
    let lastMs = clock.monotonicMs();
    const cancelWatch = clock.every(aliveMs, () => {
      if (clock.monotonicMs() - lastMs > silenceMs) feed.destroy(new Error('The live feed fell silent'));
    });
    const frames = new FrameReader((frame) => this.#take(frame));
    try {
      for await (const chunk of feed) {
        lastMs = clock.monotonicMs();
        frames.push(chunk as Buffer);
      }
    } finally {
      cancelWatch();
      feed.destroy();
    }
  }

  #take(frame: Buffer): void {
    const { stream } = this.#options;
    const event = decodeEvent(frame);
    if (event?.type === 'sample') this.#hasDelivered = true;
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
