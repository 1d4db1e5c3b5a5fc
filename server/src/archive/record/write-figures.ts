/** How much one recorder has written, and how long the disk took. */
export class WriteFigures {
  #bytes = 0;
  #fragments = 0;
  #latency = { lastMs: 0, sumMs: 0, maxMs: 0 };

  /** A fragment's row is committed; `latencyMs` is the time since the fragment was complete. */
  add(bytes: number, latencyMs: number): void {
    this.#bytes += bytes;
    this.#fragments++;
    this.#latency.lastMs = latencyMs;
    this.#latency.sumMs += latencyMs;
    this.#latency.maxMs = Math.max(this.#latency.maxMs, latencyMs);
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
