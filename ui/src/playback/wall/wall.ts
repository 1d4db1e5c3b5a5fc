import type { Disposer, PageClock } from '../../base/clock.ts';
import type { MseEnvironment } from '../media-sink.ts';
import { WallBudget } from './wall-budget.ts';
import { RenderLoadMeter, type RequestFrame } from './render-load-meter.ts';
import type { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';
import type { TileVideo } from './tile-feed.ts';
import { WallConnection } from './wall-connection.ts';
import { WallTile, type TileArchive } from './wall-tile.ts';

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

const TICK_MS = 100;
const DECIDE_MS = 1000;
/** A hidden tab keeps its streams this long: users look at another tab and come back. */
const HIDDEN_KEEPS_MS = 20_000;
/** A timer this late means that the machine slept. */
const SLEPT_MS = 5000;

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
  #cancelHiding: Disposer | undefined;
  #isAwake = true;
  #isHidden = false;
  #archive: WallArchive | undefined;
  #tickedWallMs: number;

  constructor(options: WallOptions) {
    const { clock, frames, open } = options;
    this.#options = options;
    this.#connection = new WallConnection({ clock, open });
    this.#paints = new RenderLoadMeter(frames);
    this.#tickedWallMs = clock.wallMs();
    this.#cancelTimers = [
      clock.every(TICK_MS, () => this.#tick()),
      clock.every(DECIDE_MS, () => this.#decide()),
    ];
  }

  /** Adds a tile; release it with `remove`. */
  add(tile: { readonly id: string; readonly uid: string; readonly video: TileVideo }): WallTile {
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
    this.#cancelHiding?.();
    this.#cancelHiding = undefined;
    this.#isHidden = !isVisible;
    if (isVisible) {
      this.#setAwake(true);
      this.wake();
    } else this.#cancelHiding = this.#options.clock.after(HIDDEN_KEEPS_MS, () => this.#setAwake(false));
  }

  /** Network back, machine awake: ends pauses between retries, so that the viewer does not wait. */
  wake(): void {
    this.#connection.wake();
    for (const tile of this.#tiles) tile.wake();
  }

  /** Idempotent. */
  dispose(): void {
    for (const cancel of this.#cancelTimers) cancel();
    this.#cancelHiding?.();
    this.#paints.dispose();
    for (const tile of this.#tiles) tile.dispose();
    this.#tiles.clear();
    this.#connection.close();
  }

  #tick(): void {
    const wallMs = this.#options.clock.wallMs();
    if (wallMs - this.#tickedWallMs > SLEPT_MS) this.wake();
    this.#tickedWallMs = wallMs;
    for (const tile of this.#tiles) tile.tick();
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
