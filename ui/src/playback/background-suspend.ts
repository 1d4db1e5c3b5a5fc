import type { Disposer, PageClock } from '../base/clock.ts';

/** A hidden tab keeps its stream this long: users look at another tab and come back. */
const HIDDEN_KEEPS_MS = 20_000;

/** Suspends a player in a hidden tab after a while. */
export class BackgroundSuspend {
  readonly #clock: PageClock;
  readonly #fallAsleep: () => boolean;
  #cancel: Disposer | undefined;
  #isAsleep = false;

  /** @param fallAsleep releases what it can; false when the player has to stay active */
  constructor(clock: PageClock, fallAsleep: () => boolean) {
    this.#clock = clock;
    this.#fallAsleep = fallAsleep;
  }

  /** True when it was suspended and must start again. */
  setVisible(isVisible: boolean): boolean {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!isVisible) {
      this.#cancel = this.#clock.after(HIDDEN_KEEPS_MS, () => (this.#isAsleep ||= this.#fallAsleep()));
      return false;
    }
    const wasAsleep = this.#isAsleep;
    this.#isAsleep = false;
    return wasAsleep;
  }

  /** Something else is played: there is nothing to resume. */
  end(): void {
    this.#isAsleep = false;
  }

  dispose(): void {
    this.#cancel?.();
  }
}
