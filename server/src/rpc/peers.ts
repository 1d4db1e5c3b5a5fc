import type { Clock } from '../base/clock.ts';

/** Another node, as stored in the database. */
export interface Peer {
  readonly id: string;
  /** Base URL, as in `https://north.example:8080`. */
  readonly address: string;
  /** Raw Ed25519 key. */
  readonly publicKey: Uint8Array;
}

/** A node's row, as far as the RPC needs it. */
interface PeerRecord {
  readonly id: string;
  readonly address: string | null;
  readonly publicKey: string | null;
}

export interface PeersOptions {
  /** This node. */
  readonly self: string;
  readonly clock: Clock;
  /** All nodes that may communicate with each other. */
  readonly read: () => Promise<readonly PeerRecord[]> | readonly PeerRecord[];
}

/** A node that joins, leaves or changes its address is detected within this time. */
const freshMs = 2_000;

/** The other nodes of the cluster. The last read stays valid while the database does not answer. */
export class Peers {
  readonly #options: PeersOptions;
  #known: ReadonlyMap<string, Peer> = new Map();
  #readMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Undefined for an unknown id, or for a node that has not reported an address or key. */
  async byId(id: string): Promise<Peer | undefined> {
    await this.#refresh();
    return this.#known.get(id);
  }

  /** Their ids. */
  async ids(): Promise<string[]> {
    await this.#refresh();
    return [...this.#known.keys()];
  }

  async #refresh(): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonicMs() - this.#readMs < freshMs) return;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { self, clock, read } = this.#options;
    try {
      this.#known = new Map(
        (await read()).flatMap(({ id, address, publicKey: key }) =>
          id === self || address === null || key === null
            ? []
            : [[id, { id, address, publicKey: Buffer.from(key, 'base64url') }] as const],
        ),
      );
    } catch {
      // The database is unavailable: the last known nodes still count, and the next caller reads again.
    }
    this.#readMs = clock.monotonicMs();
  }
}
