import type { LiveSpec, NothingSpec } from '../feed-spec.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';

/** The archive of a tile, driven by its wall's clock. */
export interface TileArchive {
  readonly shared: SharedClock;
  /** Undefined if the viewer may not watch the archive of this stream. */
  readonly source: SyncedArchiveSource | undefined;
}

/** The recordings of one stream in step with other tiles. */
interface SyncedArchiveSpec {
  readonly kind: 'syncedArchive';
  readonly archive: TileArchive;
}

/** What a tile can show. */
export type TileSpec = LiveSpec | SyncedArchiveSpec;

/** Whether two specs mean the same, so that nothing has to change. */
export function sameSpec(a: TileSpec | NothingSpec, b: TileSpec | NothingSpec): boolean {
  switch (a.kind) {
    case 'nothing':
      return b.kind === 'nothing';
    case 'live':
      return b.kind === 'live' && a.stream === b.stream && a.frames === b.frames;
    case 'syncedArchive':
      return (
        b.kind === 'syncedArchive' &&
        a.archive.shared === b.archive.shared &&
        a.archive.source === b.archive.source
      );
  }
}
