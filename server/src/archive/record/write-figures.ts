/** How much one recorder has written, and how long the disk took. */
export class WriteFigures {
  #bytes = 0;
  #fragments = 0;
  /** Monotonic; undefined while nothing is written. */
  #sinceMs: number | undefined;
  #latency = { lastMs: 0, sumMs: 0, maxMs: 0 };

  /** A fragment's row is committed; `latencyMs` is the time since the fragment was complete. */
  add(bytes: number, latencyMs: number): void {
    this.#bytes += bytes;
    this.#fragments++;
    this.#latency.lastMs = latencyMs;
    this.#latency.sumMs += latencyMs;
    this.#latency.maxMs = Math.max(this.#latency.maxMs, latencyMs);
  }

  /** A write begins. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** It ended, whether or not anything was written. */
  end(): void {
    this.#sinceMs = undefined;
  }

  /** How long the write that is in progress has taken so far; 0 without one. */
  delayMs(nowMs: number): number {
    return this.#sinceMs === undefined ? 0 : nowMs - this.#sinceMs;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get fragments(): number {
    return this.#fragments;
  }

  get latency(): { readonly lastMs: number; readonly meanMs: number; readonly maxMs: number } {
    const { lastMs, sumMs, maxMs } = this.#latency;
    return { lastMs, meanMs: this.#fragments === 0 ? 0 : sumMs / this.#fragments, maxMs };
  }
}
