import { ArchivePlayer } from './archive-player.ts';
import { ArchiveAccess } from './archive-access.ts';
import { TranscodingSwitch } from './transcoding-switch.ts';
import type { Disposer, PageClock } from '../base/clock.ts';
import { DecodingBudget } from './decoding-budget.ts';
import { ElementPlay } from './element-play.ts';
import { frameBeside } from './frame-step.ts';
import { LiveConnection } from './live-connection.ts';
import { LivePlayer } from './live-player.ts';
import type { MediaElement } from './media-element.ts';
import { MediaSink, type MseEnvironment } from './media-sink.ts';
import { figuresOf, type PlayerFigures } from './player-figures.ts';
import type { PlayerSource } from './player-source.ts';
import { ReversePlayer } from './reverse-player.ts';
import { shuttled, type Shuttle } from './shuttle.ts';
import {
  canFollow,
  beginning,
  sameState,
  type Notice,
  type PlayerSnapshot,
  type PlayerState,
  type Speed,
} from './state.ts';
import { BackgroundSuspend } from './background-suspend.ts';

export interface PlayerOptions {
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  readonly source: PlayerSource;
  /** The initial speed of the archive; 1 by default. */
  readonly archiveSpeed?: Speed;
}

const TICK_MS = 100;
/** A moment this close to the present means the live video. */
const LIVE_WITHIN_MS = 1500;
/** A timer this late means that the machine slept. */
const SLEPT_MS = 5000;

/**
 * The player of one stream: one video element, live or archive behind one interface. Times are UTC in ms.
 * Independent of React; screens subscribe. The creator disposes of it.
 */
export class Player {
  readonly #options: PlayerOptions;
  readonly #sink: MediaSink | undefined;
  readonly #budget = new DecodingBudget();
  readonly #play: ElementPlay;
  readonly #rest: BackgroundSuspend;
  readonly #listeners = new Set<() => void>();
  /** The stream's archive, also for previews next to this player. */
  readonly reader: ArchiveAccess;
  readonly #transcoding: TranscodingSwitch;
  readonly #cancelTick: Disposer;
  #live: LivePlayer | undefined;
  #archive: ArchivePlayer | undefined;
  #reverse: ReversePlayer | undefined;
  #tickedWallMs: number;
  #notices = 0;
  #snapshot: PlayerSnapshot;
  readonly #elementEvents: readonly (readonly [string, () => void])[] = [
    ['playing', () => this.#current?.onPlaying()],
    ['waiting', () => this.#current?.onStalled()],
    ['seeked', () => this.#tick()],
    ['canplay', () => this.#tick()],
    ['pause', () => this.#play.isViewersPause() && this.pause()],
    ['volumechange', () => this.#onVolume()],
  ];

  constructor(options: PlayerOptions) {
    this.#options = options;
    const { video, environment, clock } = options;
    video.muted = true;
    this.reader = new ArchiveAccess(options.source, clock);
    const canPlay = (mimeType: string) => environment?.isTypeSupported(mimeType) ?? false;
    this.#transcoding = new TranscodingSwitch({
      source: options.source,
      clock,
      reader: this.reader,
      canPlay,
    });
    this.#play = new ElementPlay(video, {
      onStarted: () => {
        if (this.#archive) video.playbackRate = this.#snapshot.speed;
      },
      onRefused: () => this.#setState({ name: 'waiting', reason: 'gesture' }),
    });
    this.#snapshot = beginning(video.volume);
    if (environment) {
      this.#sink = new MediaSink(video, environment, {
        onBroken: () => this.#current?.onSinkBroken(),
        onBuffered: () => this.#tick(),
      });
    }
    this.#rest = new BackgroundSuspend(clock, () => {
      if (!this.#live || !this.#play.isWanted || !video.muted || this.#isOver()) return false;
      this.#live.dispose();
      this.#live = undefined;
      return true;
    });
    this.#tickedWallMs = clock.wallMs();
    this.#cancelTick = clock.every(TICK_MS, () => this.#tick());
    for (const [name, listen] of this.#elementEvents) video.addEventListener(name, listen);
  }

  /** The same object until something changes, as `useSyncExternalStore` requires. */
  readonly getSnapshot = (): PlayerSnapshot => this.#snapshot;

  /** Calls back after every change of the snapshot. */
  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The moment on screen; undefined before the first frame of live. */
  get utcMs(): number | undefined {
    if (this.#archive) return this.#archive.utcMs;
    if (this.#reverse) return this.#reverse.utcMs;
    const { currentTime } = this.#options.video;
    return currentTime > 0 ? currentTime * 1000 : undefined;
  }

  /** Seeking to a moment of the archive whose frame is not available yet. */
  get isSeeking(): boolean {
    return (this.#archive?.isSeeking ?? false) && !this.#isOver();
  }

  /** Current metrics; undefined where nothing can be played. */
  get figures(): PlayerFigures | undefined {
    const transport = this.#live ? 'websocket' : 'http';
    return this.#sink && figuresOf(this.#options.video, this.#sink, transport);
  }

  /** How long ago the live frame was captured, ms; undefined in the archive and without a frame. */
  get delayMs(): number | undefined {
    return this.#live?.delayMs;
  }

  /** Shows the live video, at speed 1 (R4.7). */
  goLive(): void {
    this.#play.isWanted = true;
    this.#leave();
    this.#setSpeed(1);
    this.#update({ mode: 'live' });
    const parts = this.#parts();
    if (!parts) return;
    const { clock, source } = this.#options;
    const convert = this.#transcoding.codec !== undefined;
    this.#live = new LivePlayer({
      ...parts,
      connect: (events, options) =>
        new LiveConnection({ ...events, clock, open: () => source.openLive({ ...options, convert }) }),
    });
    this.#playIfWanted();
  }

  /** Plays the archive from a moment; a moment that is not yet past means live. */
  seek(utcMs: number): void {
    const { clock } = this.#options;
    if (utcMs > clock.wallMs() - LIVE_WITHIN_MS) {
      this.goLive();
      return;
    }
    if (this.#archive && !this.#isOver()) {
      this.#archive.seek(utcMs);
      this.#playIfWanted();
      return;
    }
    if (this.#reverse) {
      this.#playBackwards(utcMs);
      return;
    }
    // Seeking from a paused live video starts playback.
    if (this.#live) this.#play.isWanted = true;
    const isFromLive = this.#snapshot.mode === 'live';
    this.#leave();
    this.#openArchive(utcMs);
    if (isFromLive) this.#setSpeed(this.#options.archiveSpeed ?? 1);
    this.#playIfWanted();
  }

  /** Shows the frame after or before this one and pauses there. Live video is paused first. */
  step(direction: 1 | -1): void {
    const fromMs = this.utcMs;
    if (fromMs === undefined) return;
    const isMoving = this.#play.isWanted;
    if (this.#reverse) this.#playForwards(fromMs);
    if (isMoving || this.#archive === undefined) this.pause();
    if (this.#archive) {
      this.#setSpeed(1);
      this.#archive.step(direction);
      return;
    }
    // The buffer of the live video goes back some seconds, which the archive may not have yet.
    const nextS = this.#sink && frameBeside(this.#sink, fromMs, direction);
    if (nextS !== undefined) this.#options.video.currentTime = nextS;
    else if (direction < 0) {
      this.#leave();
      this.#openArchive(fromMs);
    }
  }

  /** J and L: backwards and forwards, faster with each press; the other key reverses at speed 1. */
  shuttle(direction: 1 | -1): void {
    const { speed, isReverse, mode } = this.#snapshot;
    if (mode === 'live' && direction > 0) {
      this.play();
      return;
    }
    const isMoving = this.#play.isWanted && !this.#isOver();
    const now: Shuttle = { speed, isReverse };
    const next = shuttled(isMoving && mode === 'archive' ? now : undefined, direction);
    this.#play.isWanted = true;
    const fromMs = this.utcMs ?? this.#options.clock.wallMs();
    this.#setSpeed(next.speed);
    if (next.isReverse) {
      if (!this.#reverse) this.#playBackwards(fromMs);
      else this.#reverse.setPaused(false);
    } else if (this.#reverse) this.#playForwards(fromMs);
    else this.play();
  }

  play(): void {
    this.#play.isWanted = true;
    if (this.#isOver()) {
      if (this.#snapshot.mode === 'live') this.goLive();
      else this.seek(this.utcMs ?? 0);
      return;
    }
    this.#current?.setPaused(false);
    this.#playIfWanted();
  }

  pause(): void {
    this.#play.isWanted = false;
    this.#play.hold();
    this.#current?.setPaused(true);
  }

  toggle(): void {
    if (this.#play.isWanted && !this.#isOver()) this.pause();
    else this.play();
  }

  /** Speed of archive playback; live video always plays at its own speed. */
  setSpeed(speed: Speed): void {
    if (this.#snapshot.mode === 'archive') this.#setSpeed(speed);
  }

  setMuted(isMuted: boolean): void {
    this.#options.video.muted = isMuted;
  }

  /** @param volume 0 to 1; more than 0 unmutes */
  setVolume(volume: number): void {
    const { video } = this.#options;
    video.volume = Math.min(1, Math.max(0, volume));
    video.muted = video.volume === 0;
  }

  /** Network back, tab shown: ends pauses between retries, so that the viewer does not wait. */
  wake(): void {
    this.#current?.wake();
  }

  /**
   * The page is visible or hidden. A muted live video in a hidden page is released after a while and resumes
   * immediately.
   */
  setVisible(isVisible: boolean): void {
    const wasAsleep = this.#rest.setVisible(isVisible);
    if (wasAsleep) this.goLive();
    if (isVisible) this.wake();
  }

  /** Releases the element; the resulting changes are not reported. Idempotent. */
  dispose(): void {
    const { video } = this.#options;
    this.#listeners.clear();
    this.#cancelTick();
    this.#rest.dispose();
    this.#leave();
    for (const [name, listen] of this.#elementEvents) video.removeEventListener(name, listen);
    this.#sink?.dispose();
    this.#setState({ name: 'idle' });
  }

  /** At most one of the three at a time. */
  get #current(): LivePlayer | ArchivePlayer | ReversePlayer | undefined {
    return this.#live ?? this.#archive ?? this.#reverse;
  }

  #isOver(): boolean {
    const { name } = this.#snapshot.state;
    return name === 'failed' || name === 'unsupported' || name === 'ended';
  }

  #leave(): void {
    this.#current?.dispose();
    this.#live = undefined;
    this.#archive = undefined;
    this.#reverse = undefined;
    this.#rest.end();
    this.#update({ isReverse: false, isKeyFramesOnly: false });
  }

  #setSpeed(speed: Speed): void {
    if (!this.#reverse) this.#options.video.playbackRate = speed;
    this.#update({ speed });
    this.#reverse?.setSpeed(speed);
    this.#archive?.speedChanged();
  }

  #openArchive(utcMs: number): void {
    this.#update({ mode: 'archive' });
    const parts = this.#parts();
    if (!parts) return;
    const options = { ...parts, budget: this.#budget, onReachedLive: () => this.goLive() };
    this.#archive = new ArchivePlayer(options, utcMs, !this.#play.isWanted);
  }

  #playBackwards(fromMs: number): void {
    this.#leave();
    this.#update({ mode: 'archive', isReverse: true });
    const parts = this.#parts();
    if (!parts) return;
    this.#play.hold();
    this.#reverse = new ReversePlayer({ ...parts, speed: this.#snapshot.speed }, fromMs);
    if (!this.#play.isWanted) this.#reverse.setPaused(true);
  }

  /** The common options of the three; undefined, and reported, where the browser can't play anything. */
  #parts() {
    const { video, clock } = this.#options;
    const sink = this.#sink;
    if (!sink) {
      this.#setState({ name: 'unsupported', codec: '' });
      return undefined;
    }
    return {
      video,
      sink,
      clock,
      reader: this.#transcoding.reader,
      onState: (state: PlayerState) => this.#follow(state),
      onNotice: (notice: Notice) => this.#tell(notice),
      onKeyFramesOnly: (isKeyFramesOnly: boolean) => this.#update({ isKeyFramesOnly }),
    };
  }

  /** Events of the active player. Media that it can't decode is requested once more, transcoded. */
  #follow(said: PlayerState): void {
    const state = this.#transcoding.follow(said);
    if (state) {
      this.#setState(state);
      return;
    }
    const fromMs = this.utcMs ?? this.#options.clock.wallMs();
    this.#update({ converted: this.#transcoding.codec });
    if (this.#live) this.goLive();
    else if (this.#reverse) this.#playBackwards(fromMs);
    else {
      this.#leave();
      this.#openArchive(fromMs);
      this.#playIfWanted();
    }
  }

  #playForwards(fromMs: number): void {
    this.#leave();
    this.seek(fromMs);
  }

  #playIfWanted(): void {
    if (!this.#isOver() && !this.#reverse) this.#play.start();
  }

  #tick(): void {
    const wallMs = this.#options.clock.wallMs();
    if (wallMs - this.#tickedWallMs > SLEPT_MS) this.wake();
    this.#tickedWallMs = wallMs;
    this.#current?.tick();
    const { state } = this.#snapshot;
    if (!(state.name === 'waiting' && state.reason === 'gesture')) this.#playIfWanted();
  }

  #onVolume(): void {
    this.#update({ isMuted: this.#options.video.muted, volume: this.#options.video.volume });
  }

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
