import type { ReaderEvent } from './reader-event.ts';

/**
 * Weight of an event in the queue in addition to its sample, bytes; a rough figure for the object and its
 * slices.
 */
export const eventBytes = 64;

/** Follows how many bytes wait. */
export interface ByteTally {
  /** So many more wait, or fewer if negative. */
  add(bytes: number): void;
}

/** The events that wait for one consumer, oldest first, with the totals by which they are limited. */
export class EventQueue {
  readonly #tally: ByteTally | undefined;
  #events: ReaderEvent[] = [];
  #head = 0;
  #bytes = 0;
  #gops = 0;

  constructor(tally?: ByteTally) {
    this.#tally = tally;
  }

  get isEmpty(): boolean {
    return this.#events.length === this.#head;
  }

  /** Bytes of the waiting samples, plus `eventBytes` for each event. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of GOPs that begin in the queue. */
  get gops(): number {
    return this.#gops;
  }

  /** The waiting events, as a copy. */
  get waiting(): ReaderEvent[] {
    return this.#events.slice(this.#head);
  }

  push(event: ReaderEvent): void {
    this.#events.push(event);
    this.#count(bytesOf(event));
    if (event.type === 'sample' && event.startsGop) this.#gops++;
  }

  /** The next event, or undefined when the queue is empty. */
  take(): ReaderEvent | undefined {
    const event = this.#events[this.#head];
    if (!event) return undefined;
    this.#head++;
    this.#count(-bytesOf(event));
    if (event.type === 'sample' && event.startsGop) this.#gops--;
    if (this.#head === this.#events.length) {
      this.#events = [];
      this.#head = 0;
    } else if (this.#head > 1024) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  /** Replaces all waiting events. */
  replace(events: ReaderEvent[]): void {
    this.#events = events;
    this.#head = 0;
    this.#count(events.reduce((sum, event) => sum + bytesOf(event), 0) - this.#bytes);
    this.#gops = events.filter((event) => event.type === 'sample' && event.startsGop).length;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#tally?.add(bytes);
  }
}

/** What an event adds to `EventQueue.bytes`. */
export function bytesOf(event: ReaderEvent): number {
  return event.type === 'sample' ? event.sample.size + eventBytes : eventBytes;
}
