import { ArchiveAccess } from './archive-access.ts';
import { BackgroundSuspend } from './background-suspend.ts';
import type { Disposer, PageClock } from '../base/clock.ts';
import type { ArchiveSpec, LiveSpec, PlayerSpec } from './feed-spec.ts';
import type { MediaElement } from './media-element.ts';
import type { MseEnvironment } from './media-sink.ts';
import { PlaybackEngine } from './playback-engine.ts';
import type { PlayerFigures } from './player-figures.ts';
import { PlayerKinds } from './player-kinds.ts';
import type { PlayerSource } from './player-source.ts';
import { shuttled, type Shuttle } from './shuttle.ts';
import { beginning, type PlayerSnapshot, type Speed } from './state.ts';
import { startTicks } from './ticks.ts';

export interface PlayerOptions {
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  readonly source: PlayerSource;
  /** The initial speed of the archive; 1 by default. */
  readonly archiveSpeed?: Speed;
}

/** A moment this close to the present means the live video. */
const LIVE_WITHIN_MS = 1500;

const LIVE: LiveSpec = { kind: 'live', stream: 'main', frames: 'moving' };

/**
 * The player of one stream: one video element, live or archive behind one interface. It tracks what the viewer
 * wants to see; the engine plays it. Times are UTC in ms. Independent of React; screens subscribe. The creator
 * disposes of it.
 */
export class Player {
  readonly #options: PlayerOptions;
  readonly #engine: PlaybackEngine<PlayerSpec>;
  readonly #suspend: BackgroundSuspend;
  readonly #listeners = new Set<() => void>();
  /** The stream's archive, also for previews next to this player. */
  readonly reader: ArchiveAccess;
  readonly #cancelTicks: Disposer;
  #notices = 0;
  #snapshot: PlayerSnapshot;

  constructor(options: PlayerOptions) {
    this.#options = options;
    const { video, environment, clock, source } = options;
    this.reader = new ArchiveAccess(source, clock);
    this.#snapshot = beginning(video.volume);
    this.#engine = new PlaybackEngine({
      video,
      environment,
      clock,
      kinds: new PlayerKinds({
        source,
        reader: this.reader,
        canPlay: (mimeType) => environment?.isTypeSupported(mimeType) ?? false,
        onNotice: (notice) => {
          this.#notices += 1;
          this.#update({ notice: { id: this.#notices, notice } });
        },
        onKeyFramesOnly: (isKeyFramesOnly) => this.#update({ isKeyFramesOnly }),
        onReduced: (isReduced) => this.#update({ isReduced }),
        onReachedLive: () => this.#goLive(),
      }),
      onChange: (shown) => this.#update(shown),
      onPausedOutside: () => this.pause(),
    });
    this.#suspend = new BackgroundSuspend(clock, () => {
      const { spec, isPaused, isOver } = this.#engine;
      if (spec.kind !== 'live' || isPaused || !video.muted || isOver) return false;
      this.#engine.suspend();
      return true;
    });
    this.#cancelTicks = startTicks(clock, {
      onTick: () => this.#engine.tick(),
      onSlept: () => this.wake(),
    });
    video.addEventListener('volumechange', this.#onVolume);
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
    return this.#engine.utcMs;
  }

  /** Seeking to a moment of the archive whose frame is not available yet. */
  get isSeeking(): boolean {
    return this.#engine.isSeeking;
  }

  /** Current metrics; undefined where nothing can be played. */
  get figures(): PlayerFigures | undefined {
    return this.#engine.figures;
  }

  /** How long ago the live frame was captured, ms; undefined in the archive and without a frame. */
  get delayMs(): number | undefined {
    return this.#engine.delayMs;
  }

  /** Shows the live video, at speed 1 (R4.7). */
  goLive(): void {
    this.#update({ notice: undefined });
    this.#goLive();
  }

  /** Plays the archive from a moment; a moment that is not yet past means live. */
  seek(utcMs: number): void {
    const { mode, isReverse, speed } = this.#snapshot;
    if (utcMs > this.#options.clock.wallMs() - LIVE_WITHIN_MS) {
      this.goLive();
      return;
    }
    // What was skipped elsewhere would seem to have been skipped here.
    this.#update({ notice: undefined });
    if (this.#engine.seek(utcMs)) return;
    const { archiveSpeed = 1 } = this.#options;
    // Seeking from a paused live video starts playback.
    if (mode === 'live') this.#engine.want();
    this.#show(archive(isReverse ? 'backwards' : 'forwards'), {
      fromMs: utcMs,
      speed: mode === 'live' ? archiveSpeed : speed,
    });
  }

  /** Shows the frame after or before this one and pauses there. Live video is paused first. */
  step(direction: 1 | -1): void {
    const fromMs = this.utcMs;
    if (fromMs === undefined) return;
    const { isPaused } = this.#engine;
    if (this.#snapshot.isReverse) this.#playForwards(fromMs);
    const { mode } = this.#snapshot;
    if (!isPaused || mode === 'live') this.pause();
    if (mode === 'archive') this.#setSpeed(1);
    // The buffer of the live video goes back some seconds, which the archive may not have yet.
    if (!this.#engine.step(direction)) this.#show(archive('forwards'), { fromMs });
  }

  /** J and L: backwards and forwards, faster with each press; the other key reverses at speed 1. */
  shuttle(direction: 1 | -1): void {
    const { speed, isReverse, mode } = this.#snapshot;
    if (mode === 'live' && direction > 0) {
      this.play();
      return;
    }
    const isMoving = !this.#engine.isPaused && !this.#engine.isOver;
    const now: Shuttle = { speed, isReverse };
    const next = shuttled(isMoving && mode === 'archive' ? now : undefined, direction);
    const fromMs = this.utcMs ?? this.#options.clock.wallMs();
    this.#engine.want();
    if (next.isReverse && !isReverse) this.#show(archive('backwards'), { fromMs, speed: next.speed });
    else {
      this.#setSpeed(next.speed);
      if (next.isReverse) this.#engine.setPaused(false);
      else if (isReverse) this.#playForwards(fromMs);
      else this.play();
    }
  }

  play(): void {
    this.#engine.want();
    if (!this.#engine.isOver) this.#engine.setPaused(false);
    else if (this.#snapshot.mode === 'live') this.goLive();
    else this.seek(this.utcMs ?? 0);
  }

  pause(): void {
    this.#engine.setPaused(true);
  }

  toggle(): void {
    if (this.#engine.isPaused || this.#engine.isOver) this.play();
    else this.pause();
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
    this.#engine.wake();
  }

  /**
   * The page is visible or hidden. A muted live video in a hidden page is released after a while and resumes
   * immediately.
   */
  setVisible(isVisible: boolean): void {
    const wasAsleep = this.#suspend.setVisible(isVisible);
    if (wasAsleep) this.goLive();
    if (isVisible) this.wake();
  }

  /** Releases the element; the resulting changes are not reported. Idempotent. */
  dispose(): void {
    this.#listeners.clear();
    this.#cancelTicks();
    this.#suspend.dispose();
    this.#options.video.removeEventListener('volumechange', this.#onVolume);
    this.#engine.dispose();
  }

  #goLive(): void {
    this.#engine.want();
    this.#show(LIVE, { speed: 1 });
  }

  #show(
    spec: PlayerSpec,
    { fromMs, speed = this.#snapshot.speed }: { fromMs?: number; speed?: Speed },
  ): void {
    this.#suspend.end();
    this.#update({
      mode: spec.kind,
      speed,
      isReverse: spec.kind === 'archive' && spec.direction === 'backwards',
      isKeyFramesOnly: false,
    });
    this.#engine.show(spec, { fromMs, speed });
  }

  #playForwards(fromMs: number): void {
    this.#update({ isReverse: false });
    this.seek(fromMs);
  }

  #setSpeed(speed: Speed): void {
    this.#engine.setSpeed(speed);
    this.#update({ speed });
  }

  readonly #onVolume = (): void => {
    const { muted: isMuted, volume } = this.#options.video;
    this.#update({ isMuted, volume });
  };

  #update(change: Partial<PlayerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function archive(direction: ArchiveSpec['direction']): ArchiveSpec {
  return { kind: 'archive', direction };
}
