import { eventLimits } from '@vidette/contract/constants';

/** Something that changed. Whether, and with what, a client is told is decided for each of them. */
export type HubEvent =
  | { readonly type: 'statuses'; readonly uids: readonly string[] }
  | { readonly type: 'streams' }
  | { readonly type: 'journal'; readonly ids: readonly number[] }
  | { readonly type: 'health' }
  /** What the user may see of it has changed. */
  | { readonly type: 'exports' | 'mosaics' | 'account'; readonly userId: number }
  | { readonly type: 'nodes' };

export interface NumberedEvent {
  readonly id: number;
  readonly event: HubEvent;
}

/** Passes events to the connections of this process, and keeps the newest for those that reconnect. */
export class EventHub {
  /** Distinguishes the ids of this process from those of another one. */
  readonly #run: string;
  readonly #listeners = new Set<(event: NumberedEvent) => void>();
  #kept: NumberedEvent[] = [];
  #lastId = 0;

  constructor(run: string) {
    this.#run = run;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  publish(event: HubEvent): void {
    const numbered = { id: ++this.#lastId, event };
    this.#kept.push(numbered);
    if (this.#kept.length >= eventLimits.keptMax * 2) this.#kept = this.#kept.slice(-eventLimits.keptMax);
    for (const listener of this.#listeners) listener(numbered);
  }

  subscribe(listener: (event: NumberedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The id of an event as clients know it. */
  textOf(id: number): string {
    return `${this.#run}.${id}`;
  }

  /** The id of the newest event. */
  get lastId(): number {
    return this.#lastId;
  }

  /** What happened after the event that a client names; undefined if that is no longer known. */
  since(text: string | undefined): readonly NumberedEvent[] | undefined {
    const [run, number] = text?.split('.') ?? [];
    const id = Number(number);
    if (run !== this.#run || !Number.isSafeInteger(id) || id > this.#lastId) return undefined;
    const oldestId = this.#kept[0]?.id ?? this.#lastId + 1;
    if (id < oldestId - 1) return undefined;
    return this.#kept.filter((kept) => kept.id > id);
  }
}
