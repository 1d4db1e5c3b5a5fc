import type { EngineClient, EngineHello } from './engine-client.ts';

/** Streams of an engine, by what it does with them. */
type HeldStreams = Pick<EngineHello, 'uids' | 'standby' | 'handedOver'>;

/** The streams that engines ran before this front started: they stay where they are, and their files are being written. */
export class EarlierStreams {
  readonly #engines = new Map<string, EngineClient>();
  readonly #standby = new Map<string, EngineClient>();
  readonly #handedOver = new Map<string, EngineClient>();
  /** Also those whose engine is not needed any more. */
  readonly #uids = new Set<string>();

  note({ uids, standby = [], handedOver = [] }: HeldStreams, engine: EngineClient): void {
    for (const uid of uids) this.#engines.set(uid, engine);
    for (const uid of standby) this.#standby.set(uid, engine);
    for (const uid of handedOver) this.#handedOver.set(uid, engine);
    for (const uid of [...uids, ...handedOver]) this.#uids.add(uid);
  }

  /** The engine that runs the stream, until `settle`. */
  engineOf(uid: string): EngineClient | undefined {
    return this.#engines.get(uid) ?? this.#handedOver.get(uid);
  }

  /** Where the stream was about to go when the earlier front ended, and is not recorded yet; until `settle`. */
  nextOf(uid: string): EngineClient | undefined {
    return this.#engines.has(uid) || !this.#handedOver.has(uid) ? undefined : this.#standby.get(uid);
  }

  /** Whether files of the stream may be open since before this front started. */
  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** All streams are placed: from here on the front knows itself where they are. */
  settle(): void {
    for (const engines of [this.#engines, this.#standby, this.#handedOver]) engines.clear();
  }

  /** All engines have ended. */
  forget(): void {
    this.settle();
    this.#uids.clear();
  }
}
