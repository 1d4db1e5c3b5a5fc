import type { Disposer, PageClock } from '../../base/clock.ts';
import type { LiveLinkEvents } from '../live-link.ts';
import { LivePlayer } from '../live-player.ts';
import { MediaSink, type MseEnvironment } from '../media-sink.ts';
import { TRANSCODED_TYPE } from '../transcoding-switch.ts';
import { canFollow, refusalOf, sameState, type TranscodingRefusal, type PlayerState } from '../state.ts';
import type { TileLoad } from './wall-budget.ts';
import { KeyFramePlayer } from './key-frame-player.ts';
import { SnapshotArchive } from './snapshot-archive.ts';
import { RetryTimer } from '../../base/retry-timer.ts';
import { SyncedArchive, type SyncedArchiveSource } from './synced-archive.ts';
import type { SharedClock } from './shared-clock.ts';
import type { TileFeed, TileVideo } from './tile-feed.ts';
import { emptyTile, isSourceAway, type TileSnapshot } from './tile-snapshot.ts';
import { variantOf, type StreamVariant, type TileSetting, type FeedSpec } from './feed-spec.ts';
import type { WallConnection } from './wall-connection.ts';

export interface WallTileOptions {
  /** Identifies the tile among those of its wall. */
  readonly id: string;
  readonly uid: string;
  readonly video: TileVideo;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  readonly connection: WallConnection;
}

/** The archive of a tile, driven by its wall's clock. */
export interface TileArchive {
  readonly shared: SharedClock;
  /** Undefined if the viewer may not watch the archive of this stream. */
  readonly source: SyncedArchiveSource | undefined;
}

/** Visibility and size of a tile, device pixels. */
export interface TileSight {
  readonly isInSight: boolean;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Tiles up to this width get the sub-stream, if there is one; they switch back to the main stream only well
 * above.
 */
const SMALL_PX = 700;
const SMALL_UNTIL_PX = 800;
const KEEP_BEHIND_S = 2;
/** A sub-stream that sends nothing for this long is replaced by the main stream. */
const SUB_PATIENCE_MS = 8000;

/** The states that are worth replacing the snapshots for. */
const MORE_TO_SHOW: readonly PlayerState['name'][] = ['playing', 'paused', 'failed'];

/**
 * One tile of a wall: its element and its current feed. Out of view it holds neither data nor a channel. The
 * stream it requests depends on its size, on the budget, and on whether it is enlarged. Media that this browser
 * can't decode is requested transcoded; where that is refused, the view shows snapshots.
 */
export class WallTile {
  readonly id: string;
  readonly uid: string;
  readonly #options: WallTileOptions;
  readonly #sink: MediaSink | undefined;
  readonly #listeners = new Set<() => void>();
  #feed: TileFeed | undefined;
  #spec: FeedSpec = 'nothing';
  #sight: TileSight = { isInSight: false, widthPx: 0, heightPx: 0 };
  #isAwake = true;
  #place: TileSetting = 'among others';
  #isMoving = false;
  #isSmall = true;
  #isSubAway = false;
  #sourceAwaySinceMs: number | undefined;
  #archive: TileArchive | undefined;
  #counted = { frames: 0, dropped: 0 };
  #isStartingPlay = false;
  /** Common names of the codecs that this browser was found to have no decoder for. */
  readonly #codecs = new Map<StreamVariant, string>();
  /** All transcoding slots were in use: retried now and then. */
  readonly #seatRetry: RetryTimer;
  /** Retrying while snapshots are shown: no state is reported before there is more to show. */
  #isQuiet = false;
  #snapshot: TileSnapshot = emptyTile;

  constructor(options: WallTileOptions) {
    const { id, uid, video, environment } = options;
    this.id = id;
    this.uid = uid;
    this.#options = options;
    this.#seatRetry = new RetryTimer(options.clock);
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

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The tile came into view, left it, or was resized. */
  setSight(sight: TileSight): void {
    this.#sight = sight;
    this.#isSmall = sight.widthPx <= (this.#isSmall ? SMALL_UNTIL_PX : SMALL_PX);
    this.#apply();
  }

  /** This tile, or another in front of it, is enlarged. */
  setPlace(place: TileSetting): void {
    this.#place = place;
    this.#apply();
  }

  /** Sets what the budget allows: all frames, or key frames only. */
  setMoving(isMoving: boolean): void {
    this.#isMoving = isMoving;
    this.#apply();
  }

  /** The page is visible, or has been hidden for a while. */
  setAwake(isAwake: boolean): void {
    this.#isAwake = isAwake;
    this.#apply();
  }

  /** Shows the archive by a clock shared by all tiles; undefined: live. */
  setArchive(archive: TileArchive | undefined): void {
    this.#archive = archive;
    this.#spec = 'nothing';
    this.#apply();
  }

  /** Called several times a second. */
  tick(): void {
    const { video } = this.#options;
    // The live player expects a playing element; the other feeds control it themselves.
    if (this.#spec.endsWith('moving') && this.#feed && video.paused) this.#play();
    this.#feed?.tick();
    this.#watchSub();
  }

  /** Network back, machine awake. */
  wake(): void {
    this.#feed?.wake?.();
  }

  /** Input of the budget's decision; undefined while the tile is out of view. Counts since the last call. */
  takeLoad(): TileLoad | undefined {
    if (!this.#spec.startsWith('live')) return undefined;
    const quality = this.#options.video.getVideoPlaybackQuality();
    const { totalVideoFrames: frames, droppedVideoFrames: dropped } = quality;
    const before = this.#counted;
    this.#counted = { frames, dropped };
    const isMoving = this.#spec.endsWith('moving');
    return {
      id: this.id,
      pixels: this.#sight.widthPx * this.#sight.heightPx,
      isEnlarged: this.#place === 'enlarged',
      isMoving,
      // A new source resets the counters; a seek to a key frame drops the frames before it.
      frames: isMoving ? Math.max(0, frames - before.frames) : 0,
      dropped: isMoving ? Math.max(0, dropped - before.dropped) : 0,
    };
  }

  /** Retries after a failure that the automatic retries do not fix. */
  retry(): void {
    this.#codecs.clear();
    this.#spec = 'nothing';
    this.#apply();
  }

  /** The moment of the archive to show, UTC ms; undefined live. */
  get momentMs(): number | undefined {
    return this.#archive?.shared.utcMs;
  }

  /** When the live frame on screen was captured, UTC ms; undefined without one. */
  get frameMs(): number | undefined {
    const { currentTime } = this.#options.video;
    return !this.#archive && currentTime > 0 ? currentTime * 1000 : undefined;
  }

  /** Releases the element. Idempotent. */
  dispose(): void {
    const { video } = this.#options;
    this.#seatRetry.cancel();
    this.#feed?.dispose();
    this.#feed = undefined;
    video.removeEventListener('playing', this.#onPlaying);
    video.removeEventListener('waiting', this.#onStalled);
    video.removeEventListener('seeked', this.#onMoved);
    this.#sink?.dispose();
    this.#listeners.clear();
  }

  #wanted(): FeedSpec {
    if (!this.#sight.isInSight || !this.#isAwake || this.#place === 'covered') return 'nothing';
    if (this.#archive) return 'archive';
    const isSub = this.#isSmall && this.#place !== 'enlarged' && !this.#isSubAway;
    return `live ${isSub ? 'sub' : 'main'} ${this.#isMoving ? 'moving' : 'keyFrames'}`;
  }

  #apply(): void {
    const spec = this.#wanted();
    if (spec === this.#spec) return;
    this.#spec = spec;
    this.#seatRetry.cancel();
    this.#seatRetry.succeeded();
    this.#begin(false);
  }

  /**
   * Starts the feed for the current spec. @param isQuiet the current content stays until there is more to show
   */
  #begin(isQuiet: boolean): void {
    // An enlarged tile has the only channel of its wall.
    this.#options.connection.replace(() => this.#replaceFeed(isQuiet));
  }

  #replaceFeed(isQuiet: boolean): void {
    const spec = this.#spec;
    this.#feed?.dispose();
    this.#feed = undefined;
    this.#sourceAwaySinceMs = undefined;
    this.#isQuiet = isQuiet;
    const sink = this.#sink;
    if (!sink) {
      this.#update({ state: { name: 'unsupported', codec: '' } });
      return;
    }
    if (!isQuiet)
      this.#update({
        state: { name: 'idle' },
        isKeyFrames: spec.endsWith('keyFrames'),
        isInGap: false,
        isArchive: spec === 'archive',
        converted: undefined,
      });
    this.#feed = this.#makeFeed(spec, sink);
    // A hidden tile needs no memory.
    if (spec === 'nothing') void sink.clear();
  }

  #makeFeed(spec: FeedSpec, sink: MediaSink): TileFeed | undefined {
    if (spec === 'nothing') {
      this.#options.video.pause();
      return undefined;
    }
    const codec = this.#codecs.get(variantOf(spec));
    // Transcoding all frames to show a few would take the slot from a viewer who sees them all.
    if (codec !== undefined && (spec.endsWith('keyFrames') || !this.#canConvert(spec)))
      return this.#showSnapshots(codec, undefined);
    if (spec === 'archive') return this.#archive && this.#makeArchive(this.#archive, sink);
    return this.#makeLive(spec, sink);
  }

  #canConvert(spec: FeedSpec): boolean {
    if (spec === 'archive' && !this.#archive?.source?.converted) return false;
    return this.#options.environment?.isTypeSupported(TRANSCODED_TYPE) ?? false;
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
      isConverted: this.#codecs.has('archive'),
      onState: this.#setState,
      onGap: this.#setGap,
    });
  }

  #makeLive(spec: FeedSpec, sink: MediaSink): TileFeed {
    const { uid, video, clock, connection } = this.#options;
    const frame = spec.includes(' sub ') ? 'sub' : 'main';
    const keyFrames = spec.endsWith('keyFrames');
    const convert = this.#codecs.has(frame);
    const connect = (events: LiveLinkEvents) =>
      connection.watch({ uid, picture: frame, audio: false, keyFrames, convert }, events);
    if (keyFrames) return new KeyFramePlayer({ video, sink, clock, connect, onState: this.#setState });
    return new LivePlayer({
      video,
      sink,
      clock,
      keepBehindS: KEEP_BEHIND_S,
      connect,
      onState: this.#setState,
      // Frames dropped on the way matter no more once the next ones arrive: a wall has no room for notices.
      onNotice: () => {},
    });
  }

  /**
   * Neither this browser nor the server can produce moving video of it. @returns the feed that accompanies the
   * snapshots
   */
  #showSnapshots(codec: string, refusal: TranscodingRefusal | undefined): TileFeed | undefined {
    const { video } = this.#options;
    if (!video.paused) video.pause();
    const state: PlayerState = { name: 'unsupported', codec, ...(refusal && { refusal }) };
    this.#update({ state, converted: undefined });
    if (refusal === 'QuotaReached') this.#seatRetry.after(() => this.#begin(true));
    const source = this.#spec === 'archive' ? this.#archive?.source : undefined;
    const shared = this.#archive?.shared;
    return source && shared && new SnapshotArchive({ source, shared, onGap: this.#setGap });
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
    if (!isSourceAway(state) || !this.#spec.startsWith('live sub')) {
      this.#sourceAwaySinceMs = undefined;
      return;
    }
    const nowMs = this.#options.clock.monotonicMs();
    this.#sourceAwaySinceMs ??= nowMs;
    if (nowMs - this.#sourceAwaySinceMs < SUB_PATIENCE_MS) return;
    this.#isSubAway = true;
    this.#apply();
  }

  readonly #setState = (said: PlayerState): void => {
    const variant = variantOf(this.#spec);
    const codec = this.#codecs.get(variant);
    if (codec === undefined) {
      if (said.name !== 'unsupported' || said.codec === '') this.#follow(said, undefined);
      else {
        this.#codecs.set(variant, said.codec);
        this.#begin(false);
      }
      return;
    }
    const refusal = said.name === 'failed' ? refusalOf(said.code) : undefined;
    if (refusal || said.name === 'unsupported') {
      this.#feed?.dispose();
      this.#isQuiet = false;
      this.#feed = this.#showSnapshots(codec, refusal);
    } else this.#follow(said, codec);
  };

  #follow(state: PlayerState, converted: string | undefined): void {
    const { state: before } = this.#snapshot;
    if (this.#isQuiet) {
      if (!MORE_TO_SHOW.includes(state.name)) return;
      this.#isQuiet = false;
      this.#seatRetry.succeeded();
    } else if (sameState(before, state) || !canFollow(before, state)) return;
    this.#update({ state, converted });
  }

  readonly #setGap = (isInGap: boolean): void => {
    if (isInGap !== this.#snapshot.isInGap) this.#update({ isInGap });
  };

  #update(change: Partial<TileSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  readonly #onPlaying = (): void => this.#feed?.onPlaying?.();
  readonly #onStalled = (): void => this.#feed?.onStalled?.();
  readonly #onMoved = (): void => this.tick();
}
