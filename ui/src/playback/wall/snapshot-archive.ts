import type { Playback } from '../playback.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';

export interface SnapshotArchiveOptions {
  readonly source: SyncedArchiveSource;
  readonly shared: SharedClock;
  readonly onGap: (isInGap: boolean) => void;
}

/**
 * An archive that this browser can't decode: the view shows snapshots from the server, and this class reports
 * gaps. It has no state of its own and touches neither element nor sink.
 */
export class SnapshotArchive implements Playback {
  readonly #options: SnapshotArchiveOptions;
  #isDisposed = false;

  constructor(options: SnapshotArchiveOptions) {
    this.#options = options;
  }

  get playsElement(): boolean {
    return false;
  }

  get utcMs(): number {
    return this.#options.shared.utcMs;
  }

  get isSeeking(): boolean {
    return false;
  }

  get delayMs(): number | undefined {
    return undefined;
  }

  /** The shared clock is paused, has the speed, and jumps. */
  setPaused(): void {}

  setSpeed(): void {}

  seek(): boolean {
    return false;
  }

  step(): boolean {
    return false;
  }

  tick(): void {
    if (this.#isDisposed) return;
    const { source, shared, onGap } = this.#options;
    onGap(source.intervalAt(shared.utcMs)?.kind === 'gap');
  }

  wake(): void {}

  onPlaying(): void {}

  onStalled(): void {}

  onSinkBroken(): void {}

  dispose(): void {
    this.#isDisposed = true;
  }
}
