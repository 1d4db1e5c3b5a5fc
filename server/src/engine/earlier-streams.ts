import type { EngineClient } from './engine-client.ts';

/** The streams that engines ran before this front started: they stay where they are, and their files are being written. */
export class EarlierStreams {
  readonly #engines = new Map<string, EngineClient>();
  /** Also those whose engine is not needed any more. */
  readonly #uids = new Set<string>();

  note(uids: readonly string[], engine: EngineClient): void {
    for (const uid of uids) {
      this.#engines.set(uid, engine);
      this.#uids.add(uid);
    }
  }

  /** The engine that runs the stream, until `settle`. */
  engineOf(uid: string): EngineClient | undefined {
    return this.#engines.get(uid);
  }

  /** Whether files of the stream may be open since before this front started. */
  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** All streams are placed: from here on the front knows itself where they are. */
  settle(): void {
    this.#engines.clear();
  }

  /** All engines have ended. */
  forget(): void {
    this.#engines.clear();
    this.#uids.clear();
  }
}
