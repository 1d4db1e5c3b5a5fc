import type { ReaderEvent } from './reader-event.ts';

/**
 * Weight of an event in the queue in addition to its sample, bytes; a rough figure for the object and its
 * slices.
 */
export const eventBytes = 64;

/** Of an empty queue. */
const keptSlots = 64;

/** Follows how many bytes wait. */
export interface ByteTally {
  /** So many more wait, or fewer if negative. */
  add(bytes: number): void;
}

/** The events that wait for one consumer, oldest first, with the totals by which they are limited. */
export class EventQueue {
  readonly #tally: ByteTally | undefined;
  /** Used again while it is short: most events are taken before the next one comes. */
  #events: (ReaderEvent | undefined)[] = [];
  #head = 0;
  #end = 0;
  #bytes = 0;
  #gops = 0;

  constructor(tally?: ByteTally) {
    this.#tally = tally;
  }

  get isEmpty(): boolean {
    return this.#end === this.#head;
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
    return this.#events.slice(this.#head, this.#end).filter((event) => event !== undefined);
  }

  push(event: ReaderEvent): void {
    this.#events[this.#end++] = event;
    this.#count(bytesOf(event));
    if (event.type === 'sample' && event.startsGop) this.#gops++;
  }

  /** The next event, or undefined when the queue is empty. */
  take(): ReaderEvent | undefined {
    const event = this.#events[this.#head];
    if (!event) return undefined;
    this.#events[this.#head++] = undefined;
    this.#count(-bytesOf(event));
    if (event.type === 'sample' && event.startsGop) this.#gops--;
    if (this.#head === this.#end) {
      if (this.#events.length > keptSlots) this.#events = [];
      this.#head = 0;
      this.#end = 0;
    } else if (this.#head > 1024) {
      this.#events = this.#events.slice(this.#head, this.#end);
      this.#head = 0;
      this.#end = this.#events.length;
    }
    return event;
  }

  /** Replaces all waiting events. */
  replace(events: ReaderEvent[]): void {
    this.#events = events;
    this.#head = 0;
    this.#end = events.length;
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
