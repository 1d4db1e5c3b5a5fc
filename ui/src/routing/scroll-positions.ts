const storageKey = 'vidette.scroll';
/** Maximum number of positions; browsers keep about 50 entries of a tab's history. */
const maxEntries = 100;

/**
 * The scroll positions of a tab's history entries, by entry id, px. They are in the tab's session storage,
 * which, unlike a history entry, can be written for an entry that was just left, and while the page is being
 * unloaded.
 */
export class ScrollPositions {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage;
  }

  /** The position of an entry; undefined when none is stored. */
  get(id: string): number | undefined {
    return this.#read().get(id);
  }

  /** Stores the position of an entry. The oldest ones of a long history are dropped. */
  set(id: string, px: number): void {
    // Read each time: the storage is shared with the other documents of the tab.
    const positions = this.#read();
    positions.delete(id);
    positions.set(id, px);
    this.#storage.setItem(storageKey, JSON.stringify([...positions].slice(-maxEntries)));
  }

  #read(): Map<string, number> {
    const stored = parsed(this.#storage.getItem(storageKey));
    return new Map(Array.isArray(stored) ? stored.filter(isPosition) : []);
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    // Written by another program.
    return [];
  }
}

function isPosition(entry: unknown): entry is [string, number] {
  return (
    Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && typeof entry[1] === 'number'
  );
}
