import type { Disposer, PageClock } from '../../base/clock.ts';
import type { Player } from '../../playback/player.ts';
import type { Scrubber } from '../../playback/scrubber.ts';
import type { Timeline } from '../../timeline/timeline.ts';

/** How often to check whether the player has reached the moment where the playhead was released. */
const LOOK_MS = 40;

/**
 * While the playhead is dragged over the timeline, the scrubber's still frames replace the video, and the last
 * one stays until the player has reached the moment where it was released.
 */
export class ScrubPreview {
  readonly #timeline: Timeline;
  readonly #player: Player;
  readonly #scrubber: Scrubber;
  readonly #listeners = new Set<() => void>();
  readonly #clock: PageClock;
  readonly #cancel: Disposer;
  #cancelLook: Disposer | undefined;
  #isShown = false;

  constructor(timeline: Timeline, player: Player, scrubber: Scrubber, clock: PageClock) {
    this.#timeline = timeline;
    this.#player = player;
    this.#scrubber = scrubber;
    this.#clock = clock;
    this.#cancel = timeline.subscribe(() => this.#look());
  }

  /** Whether the scrubber's still frame replaces the player's video. */
  readonly getIsShown = (): boolean => this.#isShown;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  dispose(): void {
    this.#cancel();
    this.#cancelLook?.();
    this.#listeners.clear();
  }

  #look(): void {
    this.#cancelLook?.();
    const { scrubMs } = this.#timeline.getView();
    if (scrubMs !== undefined) {
      this.#show(true);
      this.#scrubber.request(scrubMs);
      return;
    }
    if (this.#isShown && this.#player.isSeeking) {
      this.#cancelLook = this.#clock.after(LOOK_MS, () => this.#look());
      return;
    }
    this.#show(false);
    this.#scrubber.request(this.#timeline.lookMs);
  }

  #show(isShown: boolean): void {
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    for (const listener of this.#listeners) listener();
  }
}
