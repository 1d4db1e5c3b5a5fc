import type { Cancel, Clock } from '../base/clock.ts';

/** From an answer to the next request. */
const requestEveryMs = 15_000;
const answerTimeoutMs = 20_000;

export interface KeepAliveOptions {
  readonly clock: Clock;
  /** Sends a request and calls back with its answer; requests are answered in order. */
  readonly request: (answered: () => void) => void;
  /** Called when a request stayed unanswered for this long; no other follows. */
  readonly onSilent: (timeoutMs: number) => void;
}

/** Checks at intervals whether the other end of a connection still answers, one request at a time. */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  #roundTripMs: number | null = null;
  /** Cancels the running timer: the wait for an answer, or for the next request. */
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
  }

  /** Round-trip time of the last answered request; null before the first answer. */
  get roundTripMs(): number | null {
    return this.#roundTripMs;
  }

  /** Sends the first request now, unless it was stopped. */
  start(): void {
    if (!this.#isStopped) this.#ask();
  }

  /** Stops permanently; an answer on its way has no effect. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #ask(): void {
    const { clock, request, onSilent } = this.#options;
    const askedMs = clock.monotonicMs();
    this.#cancel = clock.after(answerTimeoutMs, () => onSilent(answerTimeoutMs));
    request(() => {
      if (this.#isStopped) return;
      this.#cancel?.();
      this.#roundTripMs = clock.monotonicMs() - askedMs;
      this.#cancel = clock.after(requestEveryMs, () => this.#ask());
    });
  }
}
