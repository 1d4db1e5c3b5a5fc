import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { RetainedTopics } from './retained-topics.ts';
import { streamTopics, type TopicTree } from './topics.ts';

export interface StillPublisherOptions {
  readonly retained: RetainedTopics;
  readonly tree: TopicTree;
  /** Streams of this node that deliver video at this moment. */
  readonly running: () => Iterable<string>;
  /** The newest frame as a JPEG. @throws Fault if there is none now */
  readonly render: (uid: string) => Promise<Uint8Array>;
  /** A still that is older is replaced, ms. */
  readonly ageMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Two stills per second, one after the other, for all streams of the node together. */
const turnMs = 500;
/** A broker keeps every still in memory. */
const stillMaxBytes = 262_144;

/**
 * Publishes stills of the running streams in one session: when motion begins, and otherwise at an interval, which grows when
 * there are so many streams that their stills would take more than two renders per second.
 */
export class StillPublisher {
  readonly #options: StillPublisherOptions;
  /** When a still of a stream was last attempted, monotonic ms; in this order. */
  readonly #triedMs = new Map<string, number>();
  readonly #urgent = new Set<string>();
  readonly #cancel: Cancel;
  #isBusy = false;

  constructor(options: StillPublisherOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(turnMs, () => void this.#publishNext());
  }

  /** The next still is of this stream. */
  wantSoon(uid: string): void {
    this.#urgent.add(uid);
  }

  close(): void {
    this.#cancel();
  }

  /** Never rejects. */
  async #publishNext(): Promise<void> {
    const uid = this.#isBusy ? undefined : this.#next();
    if (uid === undefined) return;
    const { retained, tree, render, clock, log } = this.#options;
    this.#isBusy = true;
    this.#triedMs.delete(uid);
    this.#triedMs.set(uid, clock.monotonicMs());
    try {
      const jpeg = await render(uid);
      if (jpeg.byteLength <= stillMaxBytes) await retained.put(streamTopics(tree, uid).still, jpeg);
    } catch (error) {
      // A stream without a frame, or an overloaded server, has none now; a new session begins with all stills.
      if (!(error instanceof Fault)) log.debug({ err: error, stream: uid }, 'A still could not be published');
    } finally {
      this.#isBusy = false;
    }
  }

  #next(): string | undefined {
    const running = new Set(this.#options.running());
    for (const uid of this.#urgent) {
      this.#urgent.delete(uid);
      if (running.has(uid)) return uid;
    }
    const dueMs = this.#options.clock.monotonicMs() - this.#options.ageMs;
    for (const uid of running) if (!this.#triedMs.has(uid)) return uid;
    for (const [uid, triedMs] of this.#triedMs) {
      if (!running.has(uid)) this.#triedMs.delete(uid);
      else return triedMs <= dueMs ? uid : undefined;
    }
    return undefined;
  }
}
