import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { NodeRpc } from '../rpc/node-rpc.ts';
import { believed, figuresLimits, RemoteFigures } from '../rpc/peer-answers.ts';
import type { Peers } from '../rpc/peers.ts';
import type { FigureSort } from '../store/stream-list.ts';
import { joined, type ListFigures, type LocalListFigures } from '../statistics/list-figures.ts';

export interface SortFiguresOptions {
  readonly clock: Clock;
  readonly local: Pick<LocalListFigures, 'all'>;
  readonly rpc: Pick<NodeRpc, 'askJson'>;
  readonly peers: Pick<Peers, 'ids'>;
}

/** The pages of a list fit together, and ten thousand streams are read at most this often. */
const freshMs = 15_000;

const valueOf: Readonly<Record<FigureSort, (figures: ListFigures) => number | null>> = {
  share: ({ share }) => share,
  oldest: ({ oldestMs }) => oldestMs,
  bitrate: ({ bytes, durationMs }) => (durationMs > 0 ? (bytes * 8000) / durationMs : null),
  viewers: ({ viewers }) => viewers,
};

/**
 * The figures of all streams on all nodes, read only while a list is sorted by them. A node that does not answer leaves its
 * streams without figures.
 */
export class SortFigures {
  readonly #options: SortFiguresOptions;
  #readMs = -Infinity;
  #figures: Promise<ReadonlyMap<string, ListFigures>> | undefined;

  constructor(options: SortFiguresOptions) {
    this.#options = options;
  }

  /** By uid; streams without the figure are absent. */
  async of(sort: FigureSort): Promise<Map<string, number>> {
    const values = new Map<string, number>();
    for (const [uid, figures] of await this.#fresh()) {
      const value = valueOf[sort](figures);
      if (value !== null) values.set(uid, value);
    }
    return values;
  }

  async #fresh(): Promise<ReadonlyMap<string, ListFigures>> {
    const nowMs = this.#options.clock.monotonicMs();
    if (!this.#figures || nowMs - this.#readMs >= freshMs) {
      this.#readMs = nowMs;
      const figures = this.#read();
      this.#figures = figures;
      // The next caller reads again.
      figures.catch(() => (this.#figures = undefined));
    }
    return this.#figures;
  }

  async #read(): Promise<ReadonlyMap<string, ListFigures>> {
    const { local, peers } = this.#options;
    const all = new Map(await local.all());
    const elsewhere = await Promise.all((await peers.ids()).map((node) => this.#ask(node)));
    for (const { uid, ...figures } of elsewhere.flat()) {
      const known = all.get(uid);
      all.set(uid, known ? joined(known, figures) : figures);
    }
    return all;
  }

  async #ask(node: string) {
    try {
      const answer = await this.#options.rpc.askJson(node, { path: 'figures', body: figuresLimits });
      return believed(RemoteFigures, answer, node).streams;
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  }
}
