import type { Cancel, Clock } from '../player/clock.ts';
import type { LiveLinkEvents } from '../player/live-link.ts';
import { LivePlayer } from '../player/live-player.ts';
import { MediaSink, type MseEnvironment } from '../player/media-sink.ts';
import { canFollow, sameState, type PlayerState } from '../player/state.ts';
import type { TileLoad } from './wall-budget.ts';
import { KeyFramePlayer } from './key-frame-player.ts';
import { SyncedArchive, type SyncedArchiveSource } from './synced-archive.ts';
import type { SharedClock } from './shared-clock.ts';
import type { TileFeed, TileVideo } from './tile-feed.ts';
import type { WallConnection } from './wall-connection.ts';

export interface WallTileOptions {
  /** Names the tile among those of its wall. */
  readonly id: string;
  readonly uid: string;
  readonly video: TileVideo;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: Clock;
  readonly connection: WallConnection;
}

/** The archive of a tile by the clock of its wall. */
export interface TileArchive {
  readonly shared: SharedClock;
  /** Undefined for who may not watch the archive of this stream. */
  readonly source: SyncedArchiveSource | undefined;
}

/** What a screen shows of a tile; a new value at each change. */
export interface TileSnapshot {
  readonly state: PlayerState;
  /** Only key frames are shown, to spare the machine. */
  readonly isKeyFrames: boolean;
  /** The shared moment of the archive is not recorded here. */
  readonly isInGap: boolean;
}

/** How a tile lies on the screen, px of the device. */
export interface TileSight {
  readonly isInSight: boolean;
  readonly widthPx: number;
  readonly heightPx: number;
}

export type TilePlace = 'enlarged' | 'covered' | 'among others';

/** What a tile is to show at the moment; the same text means that nothing has to change. */
type Want = 'nothing' | 'archive' | `live ${'main' | 'sub'} ${'moving' | 'keyFrames'}`;

/** Tiles up to this width get the smaller picture, where there is one; it changes back only well above. */
const SMALL_PX = 700;
const SMALL_UNTIL_PX = 800;
const KEEP_BEHIND_S = 2;
/** A smaller picture that sends nothing for so long is done without. */
const SUB_PATIENCE_MS = 8000;

/**
 * One tile of a wall: its element, and whatever feeds it. Out of sight it holds neither data nor a channel. Which
 * picture it asks for follows from its size, from the budget, and from whether somebody has enlarged it.
 */
export class WallTile {
  readonly id: string;
  readonly uid: string;
  readonly #options: WallTileOptions;
  readonly #sink: MediaSink | undefined;
  readonly #listeners = new Set<() => void>();
  #feed: TileFeed | undefined;
  #want: Want = 'nothing';
  #sight: TileSight = { isInSight: false, widthPx: 0, heightPx: 0 };
  #isAwake = true;
  #place: TilePlace = 'among others';
  #isMoving = false;
  #isSmall = true;
  #isSubAway = false;
  #sourceAwaySinceMs: number | undefined;
  #archive: TileArchive | undefined;
  #counted = { frames: 0, dropped: 0 };
  #isStartingPlay = false;
  #snapshot: TileSnapshot = { state: { name: 'idle' }, isKeyFrames: false, isInGap: false };

  constructor(options: WallTileOptions) {
    const { id, uid, video, environment } = options;
    this.id = id;
    this.uid = uid;
    this.#options = options;
    video.muted = true;
    if (environment) {
      this.#sink = new MediaSink(video, environment, {
        onBroken: () => this.#feed?.onSinkBroken(),
        onBuffered: () => this.tick(),
      });
    }
    video.addEventListener('playing', this.#onPlaying);
    video.addEventListener('waiting', this.#onStalled);
    video.addEventListener('seeked', this.#onMoved);
  }

  readonly getSnapshot = (): TileSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The tile came into sight, left it, or has another size. */
  setSight(sight: TileSight): void {
    this.#sight = sight;
    this.#isSmall = sight.widthPx <= (this.#isSmall ? SMALL_UNTIL_PX : SMALL_PX);
    this.#apply();
  }

  /** Somebody looks at this one in particular, or at another that lies over it. */
  setPlace(place: TilePlace): void {
    this.#place = place;
    this.#apply();
  }

  /** What the budget allows: all pictures, or key frames. */
  setMoving(isMoving: boolean): void {
    this.#isMoving = isMoving;
    this.#apply();
  }

  /** The page is looked at, or nobody sees it for a while. */
  setAwake(isAwake: boolean): void {
    this.#isAwake = isAwake;
    this.#apply();
  }

  /** Shows the archive by a clock that all tiles share; undefined: live. */
  setArchive(archive: TileArchive | undefined): void {
    this.#archive = archive;
    this.#want = 'nothing';
    this.#apply();
  }

  /** Called some times a second. */
  tick(): void {
    const { video } = this.#options;
    // The live player expects a playing element; the others move theirs themselves.
    if (this.#want.endsWith('moving') && this.#feed && video.paused) this.#play();
    this.#feed?.tick();
    this.#watchSub();
  }

  /** Network back, machine awake. */
  wake(): void {
    this.#feed?.wake?.();
  }

  /** What the budget is decided from; undefined while the tile is out of sight. Counts since the last call. */
  takeLoad(): TileLoad | undefined {
    if (!this.#want.startsWith('live')) return undefined;
    const quality = this.#options.video.getVideoPlaybackQuality();
    const { totalVideoFrames: frames, droppedVideoFrames: dropped } = quality;
    const before = this.#counted;
    this.#counted = { frames, dropped };
    const isMoving = this.#want.endsWith('moving');
    return {
      id: this.id,
      pixels: this.#sight.widthPx * this.#sight.heightPx,
      isEnlarged: this.#place === 'enlarged',
      isMoving,
      // A new source begins to count anew; a seek for a key frame drops what lies before it.
      frames: isMoving ? Math.max(0, frames - before.frames) : 0,
      dropped: isMoving ? Math.max(0, dropped - before.dropped) : 0,
    };
  }

  /** Tries again after a failure that trying by itself does not mend. */
  retry(): void {
    this.#want = 'nothing';
    this.#apply();
  }

  /** Gives the element back. Idempotent. */
  dispose(): void {
    const { video } = this.#options;
    this.#feed?.dispose();
    this.#feed = undefined;
    video.removeEventListener('playing', this.#onPlaying);
    video.removeEventListener('waiting', this.#onStalled);
    video.removeEventListener('seeked', this.#onMoved);
    this.#sink?.dispose();
    this.#listeners.clear();
  }

  #wanted(): Want {
    if (!this.#sight.isInSight || !this.#isAwake || this.#place === 'covered') return 'nothing';
    if (this.#archive) return 'archive';
    const isSub = this.#isSmall && this.#place !== 'enlarged' && !this.#isSubAway;
    return `live ${isSub ? 'sub' : 'main'} ${this.#isMoving ? 'moving' : 'keyFrames'}`;
  }

  #apply(): void {
    const want = this.#wanted();
    if (want === this.#want) return;
    this.#want = want;
    this.#feed?.dispose();
    this.#feed = undefined;
    this.#sourceAwaySinceMs = undefined;
    const sink = this.#sink;
    if (!sink) {
      this.#update({ state: { name: 'unsupported', codec: '' } });
      return;
    }
    this.#update({ state: { name: 'idle' }, isKeyFrames: want.endsWith('keyFrames'), isInGap: false });
    this.#feed = this.#makeFeed(want, sink);
    // What nobody sees needs no memory.
    if (want === 'nothing') void sink.clear();
  }

  #makeFeed(want: Want, sink: MediaSink): TileFeed | undefined {
    if (want === 'nothing') {
      this.#options.video.pause();
      return undefined;
    }
    if (want === 'archive') return this.#archive && this.#makeArchive(this.#archive, sink);
    return this.#makeLive(want, sink);
  }

  #makeArchive({ shared, source }: TileArchive, sink: MediaSink): TileFeed | undefined {
    const { video, clock } = this.#options;
    if (!source) {
      this.#update({ state: { name: 'failed', code: 'Forbidden' } });
      return undefined;
    }
    return new SyncedArchive({
      video,
      sink,
      clock,
      source,
      shared,
      onState: this.#setState,
      onGap: (isInGap) => {
        if (isInGap !== this.#snapshot.isInGap) this.#update({ isInGap });
      },
    });
  }

  #makeLive(want: Want, sink: MediaSink): TileFeed {
    const { uid, video, clock, connection } = this.#options;
    const picture = want.includes(' sub ') ? 'sub' : 'main';
    const keyFrames = want.endsWith('keyFrames');
    const connect = (events: LiveLinkEvents) =>
      connection.watch({ uid, picture, audio: false, keyFrames }, events);
    if (keyFrames) return new KeyFramePlayer({ video, sink, connect, onState: this.#setState });
    return new LivePlayer({
      video,
      sink,
      clock,
      keepBehindS: KEEP_BEHIND_S,
      connect,
      onState: this.#setState,
      // Pictures left out on the way say nothing that the next ones don't: a wall has no place for passing words.
      onNotice: () => {},
    });
  }

  #play(): void {
    if (this.#isStartingPlay) return;
    this.#isStartingPlay = true;
    this.#options.video.play().then(
      () => {
        this.#isStartingPlay = false;
      },
      (error: unknown) => {
        this.#isStartingPlay = false;
        if (!(error instanceof DOMException)) throw error;
        if (error.name === 'NotAllowedError') this.#setState({ name: 'waiting', reason: 'gesture' });
      },
    );
  }

  #watchSub(): void {
    const { state } = this.#snapshot;
    const isAway = state.name === 'waiting' && state.reason === 'source';
    if (!isAway || !this.#want.startsWith('live sub')) {
      this.#sourceAwaySinceMs = undefined;
      return;
    }
    const nowMs = this.#options.clock.monotonicMs();
    this.#sourceAwaySinceMs ??= nowMs;
    if (nowMs - this.#sourceAwaySinceMs < SUB_PATIENCE_MS) return;
    this.#isSubAway = true;
    this.#apply();
  }

  readonly #setState = (state: PlayerState): void => {
    const { state: before } = this.#snapshot;
    if (sameState(before, state) || !canFollow(before, state)) return;
    this.#update({ state });
  };

  #update(change: Partial<TileSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  readonly #onPlaying = (): void => this.#feed?.onPlaying?.();
  readonly #onStalled = (): void => this.#feed?.onStalled?.();
  readonly #onMoved = (): void => this.tick();
}
