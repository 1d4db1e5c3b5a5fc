import type { MediaElement } from './media-element.ts';

export interface ElementPlayEvents {
  /** The element plays: a new source has reset its rate to the default. */
  readonly onStarted: () => void;
  /** The browser plays only after a click. */
  readonly onRefused: () => void;
}

/**
 * Whether the viewer wants playback, and making the element follow: browsers may refuse to play, and may pause
 * by themselves.
 */
export class ElementPlay {
  readonly #video: MediaElement;
  readonly #events: ElementPlayEvents;
  #isStarting = false;
  #isOwnPause = false;
  #isRefused = false;
  /** The viewer's intent, whatever the element does. */
  isWanted = true;

  constructor(video: MediaElement, events: ElementPlayEvents) {
    this.#video = video;
    this.#events = events;
  }

  /** The browser refused to play, and has not played since. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Something else is played, which may not be refused. */
  forgetRefusal(): void {
    this.#isRefused = false;
  }

  /** Plays if requested and not playing already. */
  start(): void {
    const video = this.#video;
    if (!this.isWanted || !video.paused || this.#isStarting) return;
    this.#isStarting = true;
    // A new source drops the pause event of the old one (HTML, "media element load algorithm").
    this.#isOwnPause = false;
    video.play().then(
      () => {
        this.#isStarting = false;
        this.#isRefused = false;
        this.#events.onStarted();
      },
      (error: unknown) => {
        this.#isStarting = false;
        if (!(error instanceof DOMException)) throw error;
        // Any other is an interruption by a pause or a new source.
        if (error.name !== 'NotAllowedError') return;
        // Audio needs a click first; muted video, as a rule, doesn't.
        if (!video.muted) {
          video.muted = true;
          this.start();
          return;
        }
        this.#isRefused = true;
        this.#events.onRefused();
      },
    );
  }

  /** Pauses the element without changing the viewer's intent. */
  hold(): void {
    if (this.#video.paused) return;
    this.#isOwnPause = true;
    this.#video.pause();
  }

  /**
   * The element reports a pause. True when the viewer caused it: by the picture-in-picture window, a headset or
   * the system's media keys.
   */
  isViewersPause(): boolean {
    const isOwn = this.#isOwnPause;
    this.#isOwnPause = false;
    return !isOwn && this.isWanted && !this.#isStarting && this.#video.readyState >= 3;
  }
}
