import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { NodeRpc } from './node-rpc.ts';
import { believed, RemoteImports } from './peer-answers.ts';
import type { Peers } from './peers.ts';

/** How soon another node shows what was imported on one. */
const askEveryMs = 5_000;

export interface PeerImportsOptions {
  readonly rpc: Pick<NodeRpc, 'askJson'>;
  readonly peers: Pick<Peers, 'ids'>;
  readonly clock: Clock;
}

/**
 * Of which streams other nodes have recordings of other programs. They are asked now and then, so that a viewer's request waits
 * for none of them; what a node had stays known while it is away.
 */
export class PeerImports {
  readonly #options: PeerImportsOptions;
  readonly #cancel: Cancel;
  readonly #known = new Map<string, ReadonlySet<string>>();
  /** Nodes that have not answered yet. */
  readonly #asked = new Set<string>();
  #asking: Promise<void>;

  constructor(options: PeerImportsOptions) {
    this.#options = options;
    this.#asking = this.#askAll();
    this.#cancel = options.clock.every(askEveryMs, () => {
      this.#asking = Promise.all([this.#asking, this.#askAll()]).then(() => undefined);
    });
  }

  /** The nodes that have some of a stream, sorted. */
  nodesWith(uid: string): string[] {
    return [...this.#known].flatMap(([node, uids]) => (uids.has(uid) ? [node] : [])).sort();
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#asking;
  }

  async #askAll(): Promise<void> {
    const nodes = await this.#options.peers.ids();
    for (const node of this.#known.keys()) if (!nodes.includes(node)) this.#known.delete(node);
    await Promise.all(nodes.map((node) => this.#ask(node)));
  }

  async #ask(node: string): Promise<void> {
    if (this.#asked.has(node)) return;
    this.#asked.add(node);
    try {
      const answer = await this.#options.rpc.askJson(node, { path: 'imported' });
      this.#known.set(node, new Set(believed(RemoteImports, answer, node).streams));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // A version without imported recordings, or that doesn't share them.
      if (error.code === 'NotFound') this.#known.delete(node);
    } finally {
      this.#asked.delete(node);
    }
  }
}
