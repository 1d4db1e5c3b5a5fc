/** How much one recorder has written and had to drop, and how long the disk took. */
export class WriteFigures {
  #bytes = 0;
  #fragments = 0;
  /** Monotonic; undefined while nothing is written. */
  #sinceMs: number | undefined;
  #shed: { samples: number; lastMs: number } | undefined;
  #latency = { lastMs: 0, sumMs: 0, maxMs: 0 };

  /** Rows of fragments are committed; `latencyMs` is the time since their write began. */
  add({ bytes, fragments }: { readonly bytes: number; readonly fragments: number }, latencyMs: number): void {
    this.#bytes += bytes;
    this.#fragments += fragments;
    this.#latency.lastMs = latencyMs;
    this.#latency.sumMs += latencyMs * fragments;
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

  /** Samples were dropped because too much of all streams waited. */
  shed(samples: number, nowMs: number): void {
    if (samples > 0) this.#shed = { samples: (this.#shed?.samples ?? 0) + samples, lastMs: nowMs };
  }

  /** How many in all, and how long ago the last ones; undefined if none were. */
  shedBefore(nowMs: number): { readonly samples: number; readonly agoMs: number } | undefined {
    return this.#shed && { samples: this.#shed.samples, agoMs: nowMs - this.#shed.lastMs };
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
