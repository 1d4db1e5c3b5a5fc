import type { playbackSpeeds } from '@vidette/contract/constants';
import { ArchivePlayer, type ArchiveSource } from './archive-player.ts';
import type { Cancel, Clock } from './clock.ts';
import { LiveConnection } from './live-connection.ts';
import { LivePlayer } from './live-player.ts';
import type { MediaElement } from './media-element.ts';
import { MediaSink, type MseEnvironment } from './media-sink.ts';
import { canFollow, sameState, type Notice, type PlayerMode, type PlayerState } from './state.ts';

export type Speed = (typeof playbackSpeeds)[number];

/** One stream's media, whatever brings it. */
export interface PlayerSource extends ArchiveSource {
  openLive(options: { audio: boolean }): WebSocket;
}

export interface PlayerOptions {
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: Clock;
  readonly source: PlayerSource;
  /** The speed that the archive begins at; 1 when left out. */
  readonly archiveSpeed?: Speed;
}

/** What a screen shows of a player; a new value at each change, nothing in it moves by itself. */
export interface PlayerSnapshot {
  readonly mode: PlayerMode;
  readonly state: PlayerState;
  readonly speed: Speed;
  readonly isMuted: boolean;
  /** 0 to 1. */
  readonly volume: number;
  /** What to tell in passing; `id` differs for each, so that the same words can be said twice. */
  readonly notice: { readonly id: number; readonly notice: Notice } | undefined;
}

const TICK_MS = 100;
/** A moment this near the present is the live picture. */
const LIVE_WITHIN_MS = 1500;
/** A tab out of sight keeps its stream this long: people look at another tab and come back. */
const HIDDEN_KEEPS_MS = 20_000;
/** The timer came this much too late: the machine slept. */
const SLEPT_MS = 5000;
/** The picture is live within this of the newest frame: clocks of server and browser agree well enough to show the whole delay. */
const CLOCKS_AGREE_MS = 8000;

/**
 * The player of one stream: one video element, live or archive behind one interface. Times are UTC in ms. Holds no
 * React; screens subscribe. Whoever makes it disposes of it.
 */
export class Player {
  readonly #options: PlayerOptions;
  readonly #sink: MediaSink | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #cancelTick: Cancel;
  #live: LivePlayer | undefined;
  #archive: ArchivePlayer | undefined;
  #wantsPlay = true;
  #isStartingPlay = false;
  #isOwnPause = false;
  #cancelHiding: Cancel | undefined;
  #isAsleep = false;
  #tickedWallMs: number;
  #notices = 0;
  #snapshot: PlayerSnapshot;

  constructor(options: PlayerOptions) {
    this.#options = options;
    const { video, environment, clock } = options;
    video.muted = true;
    this.#snapshot = {
      mode: 'live',
      state: { name: 'idle' },
      speed: 1,
      isMuted: true,
      volume: video.volume,
      notice: undefined,
    };
    if (environment) {
      this.#sink = new MediaSink(video, environment, {
        onBroken: () => this.#onSinkBroken(),
        onBuffered: () => this.#tick(),
      });
    }
    this.#tickedWallMs = clock.wallMs();
    this.#cancelTick = clock.every(TICK_MS, () => this.#tick());
    video.addEventListener('playing', this.#onPlaying);
    video.addEventListener('waiting', this.#onStalled);
    video.addEventListener('seeked', this.#onMoved);
    video.addEventListener('canplay', this.#onMoved);
    video.addEventListener('pause', this.#onPause);
    video.addEventListener('volumechange', this.#onVolume);
  }

  /** The same object until something changed, as `useSyncExternalStore` wants it. */
  readonly getSnapshot = (): PlayerSnapshot => this.#snapshot;

  /** Calls back after every change of the snapshot. */
  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The moment on screen; undefined before the first picture of live. */
  get utcMs(): number | undefined {
    if (this.#archive) return this.#archive.utcMs;
    const { currentTime } = this.#options.video;
    return currentTime > 0 ? currentTime * 1000 : undefined;
  }

  /** How long ago the live picture was taken, ms; undefined in the archive and without a picture. */
  get delayMs(): number | undefined {
    const behindMs = this.#live?.behindMs;
    if (behindMs === undefined) return undefined;
    const sinceMs = this.#options.clock.wallMs() - this.#options.video.currentTime * 1000;
    // Media times are the server's; a browser whose clock is elsewhere can only tell how far behind the newest it is.
    return sinceMs >= behindMs && sinceMs < behindMs + CLOCKS_AGREE_MS ? sinceMs : behindMs;
  }

  /** Shows what the camera sees now, at speed 1 (R4.7). */
  goLive(): void {
    this.#wantsPlay = true;
    this.#leave();
    this.#setSpeed(1);
    this.#update({ mode: 'live' });
    const { video, clock, source } = this.#options;
    const sink = this.#sink;
    if (!sink) {
      this.#setState({ name: 'unsupported', codec: '' });
      return;
    }
    this.#live = new LivePlayer({
      video,
      sink,
      clock,
      connect: (events, options) =>
        new LiveConnection({ ...events, clock, open: () => source.openLive(options) }),
      onState: (state) => this.#setState(state),
      onNotice: (notice) => this.#tell(notice),
    });
    this.#playIfWanted();
  }

  /** Plays the archive from a moment; one that is not past yet means live. */
  seek(utcMs: number): void {
    const { video, clock, source } = this.#options;
    if (utcMs > clock.wallMs() - LIVE_WITHIN_MS) {
      this.goLive();
      return;
    }
    if (this.#archive && !this.#isOver()) {
      this.#archive.seek(utcMs);
      this.#playIfWanted();
      return;
    }
    // A live picture that the viewer had paused is left by looking for something: that means playing.
    if (this.#live) this.#wantsPlay = true;
    this.#leave();
    this.#update({ mode: 'archive' });
    this.#setSpeed(this.#options.archiveSpeed ?? 1);
    const sink = this.#sink;
    if (!sink) {
      this.#setState({ name: 'unsupported', codec: '' });
      return;
    }
    this.#archive = new ArchivePlayer(
      {
        video,
        sink,
        clock,
        source,
        onState: (state) => this.#setState(state),
        onNotice: (notice) => this.#tell(notice),
        onReachedLive: () => this.goLive(),
      },
      utcMs,
      !this.#wantsPlay,
    );
    this.#playIfWanted();
  }

  /** Goes back or on by some time from what is shown. */
  skip(byMs: number): void {
    const fromMs = this.utcMs ?? this.#options.clock.wallMs();
    this.seek(fromMs + byMs);
  }

  play(): void {
    this.#wantsPlay = true;
    if (this.#isOver()) {
      if (this.#snapshot.mode === 'live') this.goLive();
      else this.seek(this.utcMs ?? 0);
      return;
    }
    this.#archive?.setPaused(false);
    this.#live?.resume();
    this.#playIfWanted();
  }

  pause(): void {
    this.#wantsPlay = false;
    this.#isOwnPause = true;
    this.#options.video.pause();
    this.#live?.pause();
    this.#archive?.setPaused(true);
  }

  toggle(): void {
    if (this.#wantsPlay && !this.#isOver()) this.pause();
    else this.play();
  }

  /** How fast the archive plays; the live picture has only its own speed. */
  setSpeed(speed: Speed): void {
    if (this.#snapshot.mode === 'archive') this.#setSpeed(speed);
  }

  setMuted(isMuted: boolean): void {
    this.#options.video.muted = isMuted;
  }

  /** @param volume 0 to 1; more than 0 ends muting */
  setVolume(volume: number): void {
    const { video } = this.#options;
    video.volume = Math.min(1, Math.max(0, volume));
    video.muted = video.volume === 0;
  }

  /** Network back, tab shown: nobody should wait for a pause between tries to end. */
  wake(): void {
    this.#live?.wake();
    this.#archive?.wake();
  }

  /**
   * The page is seen or not. A muted live picture that nobody sees is given up after a while and comes back at once.
   */
  setVisible(isVisible: boolean): void {
    this.#cancelHiding?.();
    this.#cancelHiding = undefined;
    if (isVisible) {
      if (this.#isAsleep) this.goLive();
      this.#isAsleep = false;
      this.wake();
      return;
    }
    this.#cancelHiding = this.#options.clock.after(HIDDEN_KEEPS_MS, () => {
      if (!this.#live || !this.#wantsPlay || !this.#options.video.muted || this.#isOver()) return;
      this.#isAsleep = true;
      this.#live.dispose();
      this.#live = undefined;
    });
  }

  /** Gives the element back. Idempotent. */
  dispose(): void {
    const { video } = this.#options;
    this.#cancelTick();
    this.#cancelHiding?.();
    this.#leave();
    video.removeEventListener('playing', this.#onPlaying);
    video.removeEventListener('waiting', this.#onStalled);
    video.removeEventListener('seeked', this.#onMoved);
    video.removeEventListener('canplay', this.#onMoved);
    video.removeEventListener('pause', this.#onPause);
    video.removeEventListener('volumechange', this.#onVolume);
    this.#sink?.dispose();
    this.#setState({ name: 'idle' });
    this.#listeners.clear();
  }

  #isOver(): boolean {
    const { name } = this.#snapshot.state;
    return name === 'failed' || name === 'unsupported' || name === 'ended';
  }

  #leave(): void {
    this.#live?.dispose();
    this.#archive?.dispose();
    this.#live = undefined;
    this.#archive = undefined;
    this.#isAsleep = false;
  }

  #setSpeed(speed: Speed): void {
    this.#options.video.playbackRate = speed;
    this.#update({ speed });
  }

  #playIfWanted(): void {
    const { video } = this.#options;
    if (!this.#wantsPlay || !video.paused || this.#isStartingPlay || this.#isOver()) return;
    this.#isStartingPlay = true;
    video.play().then(
      () => {
        this.#isStartingPlay = false;
        // A new source sets the rate back to the element's default.
        if (this.#archive) video.playbackRate = this.#snapshot.speed;
      },
      (error: unknown) => {
        this.#isStartingPlay = false;
        if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
        // Sound needs a click first; pictures, as a rule, don't.
        if (!video.muted) {
          video.muted = true;
          this.#playIfWanted();
        } else this.#setState({ name: 'waiting', reason: 'gesture' });
      },
    );
  }

  #tick(): void {
    const wallMs = this.#options.clock.wallMs();
    if (wallMs - this.#tickedWallMs > SLEPT_MS) this.wake();
    this.#tickedWallMs = wallMs;
    this.#live?.tick();
    this.#archive?.tick();
    const { state } = this.#snapshot;
    if (!(state.name === 'waiting' && state.reason === 'gesture')) this.#playIfWanted();
  }

  #onSinkBroken(): void {
    this.#live?.onSinkBroken();
    this.#archive?.onSinkBroken();
  }

  readonly #onPlaying = (): void => {
    this.#live?.onPlaying();
    this.#archive?.onPlaying();
  };

  readonly #onStalled = (): void => {
    this.#live?.onStalled();
    this.#archive?.onStalled();
  };

  readonly #onMoved = (): void => {
    this.#tick();
  };

  readonly #onPause = (): void => {
    const isOwn = this.#isOwnPause;
    this.#isOwnPause = false;
    // The window of picture-in-picture, a headset or the system's media keys: the viewer's wish all the same.
    if (!isOwn && this.#wantsPlay && !this.#isStartingPlay && this.#options.video.readyState >= 3)
      this.pause();
  };

  readonly #onVolume = (): void => {
    const { muted, volume } = this.#options.video;
    this.#update({ isMuted: muted, volume });
  };

  #tell(notice: Notice): void {
    this.#notices += 1;
    this.#update({ notice: { id: this.#notices, notice } });
  }

  #setState(state: PlayerState): void {
    if (sameState(this.#snapshot.state, state) || !canFollow(this.#snapshot.state, state)) return;
    this.#update({ state });
  }

  #update(change: Partial<PlayerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
