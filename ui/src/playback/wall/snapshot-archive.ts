import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';
import type { TileFeed } from './tile-feed.ts';

export interface SnapshotArchiveOptions {
  readonly source: SyncedArchiveSource;
  readonly shared: SharedClock;
  readonly onGap: (isInGap: boolean) => void;
}

/**
 * An archive that this browser can't decode: the view shows snapshots from the server, and this class reports
 * gaps.
 */
export class SnapshotArchive implements TileFeed {
  readonly #options: SnapshotArchiveOptions;

  constructor(options: SnapshotArchiveOptions) {
    this.#options = options;
  }

  tick(): void {
    const { source, shared, onGap } = this.#options;
    onGap(source.intervalAt(shared.utcMs)?.kind === 'gap');
  }

  onSinkBroken(): void {}

  dispose(): void {}
}
