import type { Disposer, PageClock } from '../base/clock.ts';
import { BackgroundSuspend } from '../playback/background-suspend.ts';
import type { LiveSpec } from '../playback/feed-spec.ts';
import { LiveConnection } from '../playback/live-connection.ts';
import { LivePlayback } from '../playback/live-playback.ts';
import type { MediaElement } from '../playback/media-element.ts';
import type { MseEnvironment } from '../playback/media-sink.ts';
import { PlaybackEngine, type PlaybackKinds } from '../playback/playback-engine.ts';
import type { PlayerState } from '../playback/state.ts';
import { startTicks } from '../playback/ticks.ts';

export interface SharedPlayerOptions {
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  /** Requests the live video. */
  readonly open: (options: { audio: boolean }) => WebSocket;
  /** Called on each change. */
  readonly onState: (state: PlayerState) => void;
}

const LIVE: LiveSpec = { kind: 'live', stream: 'main', frames: 'moving' };

/**
 * The player of a public link: live video and nothing else. A second host of the engine besides the
 * application's `Player`, whose archive code would be a third of what a visitor loads. The creator disposes of
 * it.
 */
export class SharedPlayer {
  readonly #engine: PlaybackEngine<LiveSpec>;
  readonly #suspend: BackgroundSuspend;
  readonly #cancelTicks: Disposer;
  #isDisposed = false;

  constructor({ video, environment, clock, open, onState }: SharedPlayerOptions) {
    const engine = new PlaybackEngine<LiveSpec>({
      video,
      environment,
      clock,
      kinds: liveOnly(open),
      onChange: ({ state }) => {
        if (!this.#isDisposed) onState(state);
      },
      onPausedOutside: () => engine.setPaused(true),
    });
    this.#engine = engine;
    this.#suspend = new BackgroundSuspend(clock, () => {
      if (engine.isPaused || engine.isOver || !video.muted) return false;
      engine.suspend();
      return true;
    });
    this.#cancelTicks = startTicks(clock, { onTick: () => engine.tick(), onSlept: () => engine.wake() });
  }

  /** Plays, after a pause or a failure too. */
  play(): void {
    this.#engine.want();
    if (this.#engine.spec.kind === 'nothing' || this.#engine.isOver) this.#show();
    else this.#engine.setPaused(false);
  }

  /** Network back: ends a pause between retries. */
  wake(): void {
    this.#engine.wake();
  }

  /** The page is visible or hidden. Muted video in a hidden page is released after a while. */
  setVisible(isVisible: boolean): void {
    if (this.#suspend.setVisible(isVisible)) this.#show();
    if (isVisible) this.wake();
  }

  /** Releases the element; the resulting change is not reported. Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#cancelTicks();
    this.#suspend.dispose();
    this.#engine.dispose();
  }

  #show(): void {
    this.#suspend.end();
    this.#engine.show(LIVE);
  }
}

/** A visitor can't use the transcoder: the codec that the browser can't decode is named instead. */
function liveOnly(open: SharedPlayerOptions['open']): PlaybackKinds<LiveSpec> {
  return {
    open: (_spec, start) =>
      new LivePlayback({
        ...start,
        connect: (events, options) =>
          new LiveConnection({ ...events, clock: start.clock, open: () => open(options) }),
        onReduced: () => {},
        onNotice: () => {},
      }),
    openUndecodable: () => undefined,
    formOf: () => 'original',
    variantOf: () => 'main',
  };
}
