import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';
import type { TileFeed } from './tile-feed.ts';

export interface PicturedArchiveOptions {
  readonly source: SyncedArchiveSource;
  readonly shared: SharedClock;
  readonly onGap: (isInGap: boolean) => void;
}

/** An archive that this browser can't decode: whoever shows it takes single pictures from the server, and is told of gaps. */
export class PicturedArchive implements TileFeed {
  readonly #options: PicturedArchiveOptions;

  constructor(options: PicturedArchiveOptions) {
    this.#options = options;
  }

  tick(): void {
    const { source, shared, onGap } = this.#options;
    onGap(source.intervalAt(shared.utcMs)?.kind === 'gap');
  }

  onSinkBroken(): void {}

  dispose(): void {}
}
