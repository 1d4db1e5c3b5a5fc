import type { Disposer, PageClock } from '../../base/clock.ts';
import { BackgroundSuspend } from '../background-suspend.ts';
import type { MediaElement } from '../media-element.ts';
import type { MseEnvironment } from '../media-sink.ts';
import { startTicks } from '../ticks.ts';
import { WallBudget } from './wall-budget.ts';
import { RenderLoadMeter, type RequestFrame } from './render-load-meter.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';
import type { TileArchive } from './tile-spec.ts';
import { WallConnection } from './wall-connection.ts';
import { WallTile } from './wall-tile.ts';

export interface WallOptions {
  readonly clock: PageClock;
  readonly frames: RequestFrame;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly open: () => WebSocket;
}

/** The archive of a wall's streams, by one clock. */
export interface WallArchive {
  readonly shared: SharedClock;
  sourceOf(uid: string): SyncedArchiveSource | undefined;
}

const DECIDE_MS = 1000;

/**
 * Many videos simultaneously: one connection, one budget, and the current tiles. Independent of React; the
 * creator disposes of it.
 */
export class Wall {
  readonly #options: WallOptions;
  readonly #connection: WallConnection;
  readonly #budget = new WallBudget();
  readonly #paints: RenderLoadMeter;
  readonly #tiles = new Set<WallTile>();
  readonly #cancelTimers: readonly Disposer[];
  readonly #suspend: BackgroundSuspend;
  #isAwake = true;
  #isHidden = false;
  #archive: WallArchive | undefined;

  constructor(options: WallOptions) {
    const { clock, frames, open } = options;
    this.#options = options;
    this.#connection = new WallConnection({ clock, open });
    this.#paints = new RenderLoadMeter(frames);
    this.#suspend = new BackgroundSuspend(clock, () => {
      this.#setAwake(false);
      return true;
    });
    this.#cancelTimers = [
      startTicks(clock, {
        onTick: () => {
          for (const tile of this.#tiles) tile.tick();
        },
        onSlept: () => this.wake(),
      }),
      clock.every(DECIDE_MS, () => this.#decide()),
    ];
  }

  /** Adds a tile; release it with `remove`. */
  add(tile: { readonly id: string; readonly uid: string; readonly video: MediaElement }): WallTile {
    const { clock, environment } = this.#options;
    const made = new WallTile({ ...tile, clock, environment, connection: this.#connection });
    // The first few need not wait for a decision.
    made.setMoving(this.#tiles.size < this.#budget.allowed);
    made.setAwake(this.#isAwake);
    if (this.#archive) made.setArchive(archiveOf(this.#archive, tile.uid));
    this.#tiles.add(made);
    return made;
  }

  remove(tile: WallTile): void {
    if (this.#tiles.delete(tile)) tile.dispose();
  }

  /** Shows the archive on all tiles by one clock; undefined: live. */
  setArchive(archive: WallArchive | undefined): void {
    if (archive === this.#archive) return;
    this.#archive = archive;
    for (const tile of this.#tiles) tile.setArchive(archive && archiveOf(archive, tile.uid));
  }

  /**
   * The page is visible or hidden. Tiles hidden for a while are released, and resume immediately when shown.
   */
  setVisible(isVisible: boolean): void {
    this.#isHidden = !isVisible;
    if (this.#suspend.setVisible(isVisible)) this.#setAwake(true);
    if (isVisible) this.wake();
  }

  /** Network back, machine awake: ends pauses between retries, so that the viewer does not wait. */
  wake(): void {
    this.#connection.wake();
    for (const tile of this.#tiles) tile.wake();
  }

  /** Idempotent. */
  dispose(): void {
    for (const cancel of this.#cancelTimers) cancel();
    this.#suspend.dispose();
    this.#paints.dispose();
    for (const tile of this.#tiles) tile.dispose();
    this.#tiles.clear();
    this.#connection.close();
  }

  #decide(): void {
    const paintMs = this.#paints.take();
    // A hidden tab paints nothing and drops frames freely.
    if (this.#isHidden) return;
    const tiles = [...this.#tiles].flatMap((tile) => tile.takeLoad() ?? []);
    const moving = this.#budget.decide({ tiles, paintMs, nowMs: this.#options.clock.monotonicMs() });
    for (const tile of this.#tiles) tile.setMoving(moving.has(tile.id));
  }

  #setAwake(isAwake: boolean): void {
    this.#isAwake = isAwake;
    for (const tile of this.#tiles) tile.setAwake(isAwake);
  }
}

function archiveOf(archive: WallArchive, uid: string): TileArchive {
  return { shared: archive.shared, source: archive.sourceOf(uid) };
}
