import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { streamDiscovery, type DiscoveryContext } from './discovery.ts';
import type { RetainedTopics } from './retained-topics.ts';
import { streamTopics } from './topics.ts';

/** A stream of this node as it is published. */
export interface PublishedStream {
  readonly uid: string;
  readonly name: string;
  /** Where the camera is; may be empty. */
  readonly area: string;
  readonly status: string;
  /** Why it fails, in words; null unless it does. */
  readonly reason: string | null;
  /** Whether recording is switched on. */
  readonly isRecorded: boolean;
  readonly findsMotion: boolean;
}

/** Where the published states come from. */
export interface PublishedStreams {
  /** Those of this node. */
  readonly own: () => Iterable<string>;
  /** `elsewhere`: another node publishes it; undefined: it was removed. */
  readonly read: (
    uids: readonly string[],
  ) => Promise<ReadonlyMap<string, PublishedStream | 'elsewhere' | undefined>>;
}

export interface StreamPublisherOptions {
  readonly retained: RetainedTopics;
  readonly streams: PublishedStreams;
  /** What is announced now; undefined: Home Assistant's discovery is off. */
  readonly discovery: () => DiscoveryContext | undefined;
  readonly tree: DiscoveryContext['tree'];
  /** `StillPublisher` publishes stills. */
  readonly hasStills: boolean;
  /** Streams with motion at this moment. */
  readonly isMoving: (uid: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const turnMs = 100;
/**
 * Streams that are published per turn: at most 200 per second, with up to three messages each, so that neither the database
 * nor the broker notices a server with 10 000 streams that connects.
 */
const streamsPerTurn = 20;

/**
 * Publishes the states of this node's streams in one session with the broker: all when the session begins, and then those
 * that change, before those that still wait for their first turn.
 */
export class StreamPublisher {
  readonly #options: StreamPublisherOptions;
  readonly #changed = new Set<string>();
  readonly #waiting: Set<string>;
  readonly #cancel: Cancel;
  #isPublishing = false;
  /** A failure was logged: the others of the session are probably the same. */
  #isTold = false;

  constructor(options: StreamPublisherOptions) {
    this.#options = options;
    this.#waiting = new Set(options.streams.own());
    this.#cancel = options.clock.every(turnMs, () => void this.#publish());
  }

  /** A stream may have changed. */
  note(uid: string): void {
    this.#changed.add(uid);
  }

  /** All streams may have changed, or must be published again. */
  noteAll(): void {
    for (const uid of this.#options.streams.own()) this.#waiting.add(uid);
  }

  close(): void {
    this.#cancel();
  }

  /** Never rejects. */
  async #publish(): Promise<void> {
    if (this.#isPublishing) return;
    const uids = this.#take();
    if (uids.length === 0) return;
    this.#isPublishing = true;
    try {
      const streams = await this.#options.streams.read(uids);
      await Promise.all(uids.map((uid) => this.#put(uid, streams.get(uid))));
    } catch (error) {
      // What the broker refuses is not sent again before it changes; the database is asked again.
      const text = 'States of streams could not be published';
      if (this.#isTold) this.#options.log.debug({ err: error }, text);
      else this.#options.log.warn({ err: error }, text);
      this.#isTold = true;
      for (const uid of uids) this.#waiting.add(uid);
    } finally {
      this.#isPublishing = false;
    }
  }

  #take(): string[] {
    const uids: string[] = [];
    for (const queue of [this.#changed, this.#waiting]) {
      for (const uid of queue) {
        if (uids.length >= streamsPerTurn) return uids;
        queue.delete(uid);
        if (!uids.includes(uid)) uids.push(uid);
      }
    }
    return uids;
  }

  async #put(uid: string, stream: PublishedStream | 'elsewhere' | undefined): Promise<void> {
    const { retained, discovery, tree, hasStills, isMoving } = this.#options;
    const topics = streamTopics(tree, uid);
    const { state, motion, still } = topics;
    if (stream === 'elsewhere') {
      for (const topic of [topics.discovery, state, motion, still]) retained.forget(topic);
      return;
    }
    if (!stream) {
      // First the entities, so that none is left with a state that means nothing.
      for (const topic of [topics.discovery, state, motion, still]) await retained.clear(topic);
      return;
    }
    const { name, status, reason, isRecorded, findsMotion } = stream;
    const context = discovery();
    const announced = context ? JSON.stringify(streamDiscovery(context, stream)) : '';
    await retained.put(topics.discovery, announced);
    await retained.put(state, JSON.stringify({ name, status, reason, recording: isRecorded ? 'ON' : 'OFF' }));
    // What is switched off may be left of an earlier session.
    if (!findsMotion) await retained.clear(motion);
    else await retained.put(motion, isMoving(uid) ? 'ON' : 'OFF');
    if (!hasStills) await retained.clear(still);
  }
}
