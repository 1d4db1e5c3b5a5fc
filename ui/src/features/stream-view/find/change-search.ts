import { ApiError } from '@vidette/contract/client';
import { changeSearch, type ChangeLine } from '@vidette/contract/archive-changes';
import { api } from '../../../api/api.ts';
import type { Disposer } from '../../../base/clock.ts';
import { noResults, withLine, type ChangeResults } from './change-results.ts';
import type { Region } from './region.ts';

/** A search of the server as the page shows it. */
export interface ChangeSearchState {
  readonly results: ChangeResults;
  readonly isRunning: boolean;
  /** The person ended it. */
  readonly isStopped: boolean;
  readonly error: Error | undefined;
}

const idle: ChangeSearchState = { results: noResults, isRunning: false, isStopped: false, error: undefined };
/** The server ends a search before that. */
const timeoutMs = (changeSearch.secondsMax + 15) * 1000;
const whole: Region = { left: 0, top: 0, width: 1, height: 1 };

/** A search for changes by the server, in the archive of one stream. The creator disposes of it. */
export class ChangeSearch {
  readonly #uid: string;
  readonly #listeners = new Set<() => void>();
  #abort = new AbortController();
  #state = idle;

  constructor(uid: string) {
    this.#uid = uid;
  }

  /** The same object until something changes. */
  readonly getState = (): ChangeSearchState => this.#state;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Searches a span; an earlier search ends. Without a region whole frames are compared. */
  begin(startMs: number, endMs: number, region: Region | undefined): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#change({ ...idle, isRunning: true });
    void this.#run(startMs, endMs, region ?? whole, this.#abort.signal);
  }

  /** Ends the search; what was found stays. */
  stop(): void {
    if (!this.#state.isRunning) return;
    this.#abort.abort();
    this.#change({ ...this.#state, isRunning: false, isStopped: true });
  }

  /** Idempotent. */
  dispose(): void {
    this.#abort.abort();
    this.#listeners.clear();
  }

  async #run(startMs: number, endMs: number, region: Region, signal: AbortSignal): Promise<void> {
    try {
      const query = { start_time: Math.round(startMs), end_time: Math.round(endMs), ...rounded(region) };
      const request = { params: { uid: this.#uid }, query };
      const reply = await api.searchArchiveChanges(request, { signal, timeoutMs });
      if (!reply.body) return;
      for await (const lines of linesOf(reply.body)) {
        if (signal.aborted) return;
        this.#change({ ...this.#state, results: lines.reduce(withLine, this.#state.results) });
      }
      const { failure, end } = this.#state.results;
      const code = failure ?? (end ? undefined : 'SERVER_NOT_RESPONSE_ERR');
      const error = code && new ApiError(code, '', 0);
      this.#change({ ...this.#state, isRunning: false, error });
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#change({ ...this.#state, isRunning: false, error: failure });
    }
  }

  #change(state: ChangeSearchState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Decimal digits that a query takes; a region stays inside the frame. */
function rounded({ left, top, width, height }: Region): Region {
  const down = (share: number) => Math.floor(share * 1e4) / 1e4;
  const least = (share: number) => Math.max(changeSearch.regionLeast, down(share));
  return { left: down(left), top: down(top), width: least(width), height: least(height) };
}

/** The lines of a body, those of a chunk together. Rejects if it breaks off. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ChangeLine[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    if (parts.length > 0) yield parts.map((line) => JSON.parse(line) as ChangeLine);
  }
}
