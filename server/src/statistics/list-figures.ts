import { shareJudgedAfterMs } from '@vidette/contract/constants';
import type { Archive } from '../archive/archive.ts';
import type { FootageFigures } from '../archive/read/read.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Live } from '../live/live.ts';

/** Figures of a stream by which lists are sorted; null where a node has none. */
export interface ListFigures {
  /** Of a running stream. */
  readonly viewers: number | null;
  /** The recorded share of the last 24 hours, 0 to 1; null while it is too early to judge. */
  readonly share: number | null;
  /** Of the oldest footage, ms since the epoch. */
  readonly oldestMs: number | null;
  /** Of all footage. */
  readonly bytes: number;
  readonly durationMs: number;
}

/** What one node knows of its streams, by uid. */
export type NodeFigures = ReadonlyMap<string, ListFigures>;

export interface LocalListFiguresOptions {
  readonly streamManager: Pick<StreamManager, 'streams'>;
  /** Whether this node runs a stream. */
  readonly owns: (uid: string) => boolean;
  readonly live: Pick<Live, 'audience'>;
  readonly archive: {
    readonly reader: Pick<Archive['reader'], 'figures'>;
    readonly imported: Pick<Archive['imported'], 'figures'>;
    readonly continuity: Pick<Archive['continuity'], 'known'>;
  };
}

const noFigures: ListFigures = { viewers: null, share: null, oldestMs: null, bytes: 0, durationMs: 0 };

/** Of the streams that this node runs, and of those whose footage it has. */
export class LocalListFigures {
  readonly #options: LocalListFiguresOptions;

  constructor(options: LocalListFiguresOptions) {
    this.#options = options;
  }

  /** From what is in memory and in the catalogs' indexes: no file is read and no coverage computed. */
  async all(): Promise<NodeFigures> {
    const { streamManager, owns, live, archive } = this.#options;
    const figures = new Map<string, ListFigures>();
    addFootage(figures, await archive.reader.figures());
    addFootage(figures, await archive.imported.figures());
    for (const { settings, state, stream } of streamManager.streams()) {
      const { uid } = settings;
      if (!owns(uid)) continue;
      const day = archive.continuity.known(uid)?.day;
      figures.set(uid, {
        ...(figures.get(uid) ?? noFigures),
        viewers: state.status === 'running' ? live.audience(stream).viewers : null,
        share: day && day.expectedMs >= shareJudgedAfterMs ? day.share : null,
      });
    }
    return figures;
  }
}

function addFootage(figures: Map<string, ListFigures>, footage: ReadonlyMap<string, FootageFigures>): void {
  for (const [uid, found] of footage) {
    figures.set(uid, joined(figures.get(uid) ?? noFigures, { ...noFigures, ...found }));
  }
}

/** What two nodes know of the same stream. */
export function joined(one: ListFigures, other: ListFigures): ListFigures {
  return {
    viewers: one.viewers ?? other.viewers,
    share: one.share ?? other.share,
    oldestMs:
      one.oldestMs === null || other.oldestMs === null
        ? (one.oldestMs ?? other.oldestMs)
        : Math.min(one.oldestMs, other.oldestMs),
    bytes: one.bytes + other.bytes,
    durationMs: one.durationMs + other.durationMs,
  };
}
