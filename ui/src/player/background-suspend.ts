import type { Disposer, PageClock } from '../base/clock.ts';

/** A tab out of sight keeps its stream this long: people look at another tab and come back. */
const HIDDEN_KEEPS_MS = 20_000;

/** Lets a player that nobody sees fall asleep after a while. */
export class BackgroundSuspend {
  readonly #clock: PageClock;
  readonly #fallAsleep: () => boolean;
  #cancel: Disposer | undefined;
  #isAsleep = false;

  /** @param fallAsleep gives up what it can; false when it has to stay awake */
  constructor(clock: PageClock, fallAsleep: () => boolean) {
    this.#clock = clock;
    this.#fallAsleep = fallAsleep;
  }

  /** True when it had slept and must begin again. */
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

  /** Something else is played: there is nothing to come back to. */
  end(): void {
    this.#isAsleep = false;
  }

  dispose(): void {
    this.#cancel?.();
  }
}
