/** Fetches the still of a moment. @throws the signal's reason, or why there is none */
type FetchStill = (uid: string, utcMs: number, signal: AbortSignal) => Promise<Blob>;

export interface StillLoaderOptions {
  readonly fetchStill: FetchStill;
  /** Makes an address of the image, and releases it again. */
  readonly addresses: {
    readonly create: (blob: Blob) => string;
    readonly release: (address: string) => void;
  };
}

/** Concurrent requests: a browser has six connections to a server, and the player needs some of them. */
const REQUESTS_LIMIT = 3;
const KEPT = 300;

interface WaitingStill {
  readonly key: string;
  readonly run: () => Promise<void>;
}

/**
 * The stills of a list: only those in view are requested, the last requested first, few simultaneously, so that a
 * quick scroll neither waits for what has passed nor stops the video. The server decodes one key frame for each.
 */
export class StillLoader {
  readonly #options: StillLoaderOptions;
  readonly #kept = new Map<string, string | null>();
  #waiting: WaitingStill[] = [];
  #running = 0;

  constructor(options: StillLoaderOptions) {
    this.#options = options;
  }

  /** The address of a still that was fetched before; null: there is none; undefined: not known yet. */
  known(uid: string, utcMs: number): string | null | undefined {
    return this.#kept.get(keyOf(uid, utcMs));
  }

  /** Fetches a still. Calls back with its address, or null if there is none, unless it is aborted before. */
  load(uid: string, utcMs: number, signal: AbortSignal, onStill: (address: string | null) => void): void {
    const key = keyOf(uid, utcMs);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      onStill(known);
      return;
    }
    const run = async () => {
      const address = await this.#fetch(uid, utcMs, signal);
      if (address === undefined || signal.aborted) return;
      this.#keep(key, address);
      onStill(address);
    };
    const waiting = { key, run };
    this.#waiting.push(waiting);
    signal.addEventListener('abort', () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
    });
    this.#next();
  }

  /** Releases every image. */
  dispose(): void {
    this.#waiting = [];
    for (const address of this.#kept.values()) if (address !== null) this.#options.addresses.release(address);
    this.#kept.clear();
  }

  #next(): void {
    while (this.#running < REQUESTS_LIMIT) {
      const next = this.#waiting.pop();
      if (!next) return;
      this.#running += 1;
      void next.run().finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** Null when the archive has no frame there; undefined when the request was aborted. */
  async #fetch(uid: string, utcMs: number, signal: AbortSignal): Promise<string | null | undefined> {
    try {
      return this.#options.addresses.create(await this.#options.fetchStill(uid, utcMs, signal));
    } catch {
      // Deleted by retention, or not decoded by an overloaded server: the card has a text as well.
      return signal.aborted ? undefined : null;
    }
  }

  #keep(key: string, address: string | null): void {
    this.#kept.set(key, address);
    const [oldest] = this.#kept;
    if (this.#kept.size <= KEPT || !oldest) return;
    this.#kept.delete(oldest[0]);
    if (oldest[1] !== null) this.#options.addresses.release(oldest[1]);
  }
}

function keyOf(uid: string, utcMs: number): string {
  return `${uid} ${utcMs}`;
}
