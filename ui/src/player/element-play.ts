import type { MediaElement } from './media-element.ts';

export interface ElementPlayEvents {
  /** It plays: a new source has set the element's rate back to its default. */
  readonly onStarted: () => void;
  /** The browser plays only after a click. */
  readonly onRefused: () => void;
}

/** Whether the viewer wants it to play, and bringing the element to it: browsers may refuse, and may pause by themselves. */
export class ElementPlay {
  readonly #video: MediaElement;
  readonly #events: ElementPlayEvents;
  #isStarting = false;
  #isOwnPause = false;
  /** The viewer's wish, whatever the element does. */
  isWanted = true;

  constructor(video: MediaElement, events: ElementPlayEvents) {
    this.#video = video;
    this.#events = events;
  }

  /** Plays if that is wanted and not so already. */
  start(): void {
    const video = this.#video;
    if (!this.isWanted || !video.paused || this.#isStarting) return;
    this.#isStarting = true;
    video.play().then(
      () => {
        this.#isStarting = false;
        this.#events.onStarted();
      },
      (error: unknown) => {
        this.#isStarting = false;
        if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
        // Sound needs a click first; frames, as a rule, don't.
        if (!video.muted) {
          video.muted = true;
          this.start();
        } else this.#events.onRefused();
      },
    );
  }

  /** Stops the element without anybody having wished for it. */
  hold(): void {
    this.#isOwnPause = !this.#video.paused;
    this.#video.pause();
  }

  /**
   * The element says that it has stopped. True when that was the viewer's wish: the window of picture in picture, a
   * headset or the system's media keys.
   */
  isViewersPause(): boolean {
    const isOwn = this.#isOwnPause;
    this.#isOwnPause = false;
    return !isOwn && this.isWanted && !this.#isStarting && this.#video.readyState >= 3;
  }
}
