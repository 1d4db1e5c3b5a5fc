// Whether the server is reachable. The first call without an answer reports "lost"; from then on this class
// polls with growing pauses until the server is back.

import { Backoff } from '../base/backoff.ts';

/** What the connection needs from the page. */
export interface ConnectionOptions {
  /** Resolves when the server answers with anything. */
  readonly probe: () => Promise<void>;
  /** Called each time the server is back. */
  readonly onBack: () => void;
  readonly setTimer?: (action: () => void, delayMs: number) => unknown;
}

/** The server's reachability as the page knows it. */
export class Connection {
  #lost = false;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<() => void>();
  readonly #backoff = new Backoff({ firstMs: 1_000, longestMs: 5_000, growth: 1.5 });

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  readonly isLost = (): boolean => this.#lost;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A call got no answer. Further ones change nothing until the server is back. */
  lose(): void {
    if (this.#lost) return;
    this.#set(true);
    this.#backoff.reset();
    this.#retryLater();
  }

  #retryLater(): void {
    const setTimer = this.#options.setTimer ?? setTimeout;
    setTimer(() => void this.#retry(), this.#backoff.next());
  }

  async #retry(): Promise<void> {
    try {
      await this.#options.probe();
    } catch {
      // Still unreachable: keep waiting.
      this.#retryLater();
      return;
    }
    this.#set(false);
    this.#options.onBack();
  }

  #set(lost: boolean): void {
    this.#lost = lost;
    for (const listener of this.#listeners) listener();
  }
}
