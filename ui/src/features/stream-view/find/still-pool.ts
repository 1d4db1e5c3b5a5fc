import type { StillSource } from '../../../playback/key-frame-stills.ts';

/**
 * Several sources of still frames, each of which decodes one frame at a time: while one waits for the browser to show its
 * frame, others decode. Disposes of them.
 */
export class StillPool {
  readonly #all: readonly StillSource[];
  readonly #idle: StillSource[];
  readonly #waiting: ((stills: StillSource) => void)[] = [];

  constructor(sources: readonly StillSource[]) {
    this.#all = sources;
    this.#idle = [...sources];
  }

  /** Works with one of them alone, as soon as one is free; those who wait have their turn in order. */
  async use<Result>(work: (stills: StillSource) => Promise<Result>): Promise<Result> {
    const stills = this.#idle.pop() ?? (await new Promise<StillSource>((free) => this.#waiting.push(free)));
    try {
      return await work(stills);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(stills);
      else this.#idle.push(stills);
    }
  }

  /** Idempotent. */
  dispose(): void {
    for (const stills of this.#all) stills.dispose();
  }
}
