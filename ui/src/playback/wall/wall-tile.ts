import type { Disposer, PageClock } from '../../base/clock.ts';
import { RetryTimer } from '../../base/retry-timer.ts';
import type { MediaElement } from '../media-element.ts';
import type { MseEnvironment } from '../media-sink.ts';
import { PlaybackEngine } from '../playback-engine.ts';
import { FrameCounter } from './frame-counter.ts';
import { TileConditions, type TileSetting, type TileSight } from './tile-conditions.ts';
import { TileKinds } from './tile-kinds.ts';
import { sameSpec, type TileArchive, type TileSpec } from './tile-spec.ts';
import { emptyTile, isSourceAway, type TileSnapshot } from './tile-snapshot.ts';
import type { TileLoad } from './wall-budget.ts';
import type { WallConnection } from './wall-connection.ts';

export interface WallTileOptions {
  /** Identifies the tile among those of its wall. */
  readonly id: string;
  readonly uid: string;
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  readonly connection: WallConnection;
}

/** A sub-stream that sends nothing for this long is replaced by the main stream. */
const SUB_PATIENCE_MS = 8000;

/**
 * One tile of a wall: it determines what is shown there, and its engine plays that. The stream it requests
 * depends on its size, on the budget, and on whether it is enlarged. Where media can be neither decoded nor
 * transcoded, the view shows snapshots.
 */
export class WallTile {
  readonly id: string;
  readonly uid: string;
  readonly #options: WallTileOptions;
  readonly #engine: PlaybackEngine<TileSpec>;
  readonly #conditions = new TileConditions();
  readonly #counter: FrameCounter;
  readonly #listeners = new Set<() => void>();
  #sourceAwaySinceMs: number | undefined;
  /** All transcoding slots were in use: retried now and then. */
  readonly #seatRetry: RetryTimer;
  #snapshot: TileSnapshot = emptyTile;

  constructor(options: WallTileOptions) {
    const { id, uid, video, environment, clock, connection } = options;
    this.id = id;
    this.uid = uid;
    this.#options = options;
    this.#seatRetry = new RetryTimer(clock);
    this.#counter = new FrameCounter(video);
    this.#engine = new PlaybackEngine({
      video,
      environment,
      clock,
      kinds: new TileKinds({
        uid,
        connection,
        canPlay: (mimeType) => environment?.isTypeSupported(mimeType) ?? false,
        onGap: (isInGap) => {
          if (isInGap !== this.#snapshot.isInGap) this.#update({ isInGap });
        },
        onReduced: (isReduced) => this.#update({ isReduced }),
      }),
      onChange: (shown) => {
        if (shown.state.name !== 'unsupported') this.#seatRetry.succeeded();
        this.#update(shown);
      },
      onRefused: (refusal) => {
        if (refusal === 'QuotaReached') this.#seatRetry.after(() => this.#engine.retryQuietly());
      },
      // An enlarged tile has the only channel of its wall.
      exchange: (swap) => connection.replace(swap),
    });
  }

  readonly getSnapshot = (): TileSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The tile came into view, left it, or was resized. */
  setSight(sight: TileSight): void {
    this.#conditions.see(sight);
    this.#apply();
  }

  /** This tile, or another in front of it, is enlarged. */
  setPlace(place: TileSetting): void {
    this.#conditions.change({ place });
    this.#apply();
  }

  /** Sets what the budget allows: all frames, or key frames only. */
  setMoving(isMoving: boolean): void {
    this.#conditions.change({ isMoving });
    this.#apply();
  }

  /** The page is visible, or has been hidden for a while. */
  setAwake(isAwake: boolean): void {
    this.#conditions.change({ isAwake });
    this.#apply();
  }

  /** Shows the archive by a clock shared by all tiles; undefined: live. */
  setArchive(archive: TileArchive | undefined): void {
    this.#conditions.change({ archive });
    this.#apply();
  }

  /** Called several times a second. */
  tick(): void {
    this.#engine.tick();
    this.#watchSub();
  }

  /** Network back, machine awake. */
  wake(): void {
    this.#engine.wake();
  }

  /** Input of the budget's decision; undefined while the tile is out of view. Counts since the last call. */
  takeLoad(): TileLoad | undefined {
    const { spec } = this.#engine;
    if (spec.kind !== 'live') return undefined;
    const count = this.#counter.take();
    const isMoving = spec.frames === 'moving';
    return {
      id: this.id,
      pixels: this.#conditions.pixels,
      isEnlarged: this.#conditions.now.place === 'enlarged',
      isMoving,
      // A seek to a key frame drops the frames before it.
      ...(isMoving ? count : { frames: 0, dropped: 0 }),
    };
  }

  /** Retries after a failure that the automatic retries do not fix. */
  retry(): void {
    this.#seatRetry.cancel();
    this.#engine.restart();
  }

  /** The moment of the archive to show, UTC ms; undefined live. */
  get momentMs(): number | undefined {
    return this.#conditions.now.archive?.shared.utcMs;
  }

  /** When the live frame on screen was captured, UTC ms; undefined without one. */
  get frameMs(): number | undefined {
    const { currentTime } = this.#options.video;
    return !this.#conditions.now.archive && currentTime > 0 ? currentTime * 1000 : undefined;
  }

  /** Releases the element. Idempotent. */
  dispose(): void {
    this.#listeners.clear();
    this.#seatRetry.cancel();
    this.#engine.dispose();
  }

  #apply(): void {
    const { spec } = this.#conditions;
    if (sameSpec(spec, this.#engine.spec)) return;
    this.#seatRetry.cancel();
    this.#seatRetry.succeeded();
    this.#update({
      isKeyFrames: spec.kind === 'live' && spec.frames === 'keyFrames',
      isInGap: false,
      isArchive: spec.kind === 'syncedArchive',
    });
    this.#engine.show(spec);
  }

  #watchSub(): void {
    const { spec, state } = this.#engine;
    if (!isSourceAway(state) || spec.kind !== 'live' || spec.stream !== 'sub') {
      this.#sourceAwaySinceMs = undefined;
      return;
    }
    const nowMs = this.#options.clock.monotonicMs();
    this.#sourceAwaySinceMs ??= nowMs;
    if (nowMs - this.#sourceAwaySinceMs < SUB_PATIENCE_MS) return;
    this.#conditions.change({ isSubAway: true });
    this.#apply();
  }

  #update(change: Partial<TileSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
