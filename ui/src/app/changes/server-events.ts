// Follows what changes on the server (`GET /v1/events`). While it works, nothing has to be polled.

import { addressOf } from '@vidette/contract/routes';
import { eventLimits } from '@vidette/contract/constants';
import type { ServerEventName, ServerEvents } from '@vidette/contract/events';
import { EventText } from './event-text.ts';

/** An event as it came. */
export type ServerEvent = {
  readonly [Name in ServerEventName]: { readonly name: Name; readonly data: ServerEvents[Name] };
}[ServerEventName];

export interface ServerEventsOptions {
  readonly fetch: typeof fetch;
  readonly setTimer: (run: () => void, delayMs: number) => () => void;
}

/** Between attempts: the server may be restarting, or a proxy may not pass the stream on at all. */
const retryMs = [500, 1_000, 2_000, 5_000] as const;
/** How long the answer to the request may take. */
const answerMs = 5_000;

/** The connection to the event stream: it connects again when it breaks, and continues where it was. */
export class ServerEventStream {
  readonly #options: ServerEventsOptions;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #watchers = new Set<() => void>();
  #isConnected = false;
  #lastId: string | undefined;
  #failures = 0;
  #attempt: AbortController | undefined;
  #cancelTimer: () => void = () => {};

  constructor(options: ServerEventsOptions) {
    this.#options = options;
  }

  /** Whether every change is being reported. */
  readonly isConnected = (): boolean => this.#isConnected;

  /** Calls back whenever the connection begins or breaks. */
  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  listen(listener: (event: ServerEvent) => void): void {
    this.#listeners.add(listener);
  }

  /** Connects, unless it already has. */
  start(): void {
    if (this.#attempt) return;
    this.#failures = 0;
    void this.#run();
  }

  /** Disconnects; a later start continues where it was. */
  stop(): void {
    this.#cancelTimer();
    this.#attempt?.abort();
    this.#attempt = undefined;
    this.#set(false);
  }

  /** Another user must not continue where this one was. */
  forget(): void {
    this.stop();
    this.#lastId = undefined;
  }

  async #run(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      await this.#follow(attempt);
    } catch {
      // Broken, refused or silent: it is tried again below, and the polls go on meanwhile.
    }
    attempt.abort();
    if (this.#attempt !== attempt) return;
    this.#cancelTimer();
    this.#set(false);
    const delayMs = retryMs[Math.min(this.#failures, retryMs.length - 1)] ?? 0;
    this.#failures++;
    this.#cancelTimer = this.#options.setTimer(() => void this.#run(), delayMs);
  }

  /** Rejects, or resolves, when the connection is over. */
  async #follow(attempt: AbortController): Promise<void> {
    this.#limit(attempt, answerMs);
    const response = await this.#options.fetch(addressOf('watchEvents'), {
      headers: {
        accept: 'text/event-stream',
        ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
      },
      credentials: 'same-origin',
      signal: attempt.signal,
    });
    const reader = response.ok ? response.body?.getReader() : undefined;
    if (!reader) throw new Error(`HTTP ${response.status}`);
    const text = new EventText();
    const decoder = new TextDecoder();
    for (;;) {
      // A connection that is cut without a word is noticed by its silence.
      this.#limit(attempt, eventLimits.silenceMs);
      const { done, value } = await reader.read();
      if (done || this.#attempt !== attempt) return;
      this.#failures = 0;
      this.#set(true);
      for (const { id, name, data } of text.push(decoder.decode(value, { stream: true }))) {
        if (id !== undefined) this.#lastId = id;
        const event = { name, data: JSON.parse(data) as unknown } as ServerEvent;
        for (const listener of this.#listeners) listener(event);
      }
    }
  }

  #limit(attempt: AbortController, delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.setTimer(() => attempt.abort(), delayMs);
  }

  #set(isConnected: boolean): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    for (const watcher of this.#watchers) watcher();
  }
}

/** The page's connection. */
export const serverEvents = new ServerEventStream({
  fetch: (...args) => fetch(...args),
  setTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});
