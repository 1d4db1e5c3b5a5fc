import type { Step } from './addresses.ts';
import { hrefOf, placeAt, type Place, type Way } from './place.ts';

// The address bar and the screen, kept in step: what is asked for is checked, fetched, and then shown. Nothing here
// knows React; `react/` hands it to components.

/** A step that waits for somebody's word. */
export interface HeldStep {
  go(): void;
  stay(): void;
}

/** What the page shows. */
export interface RouterState {
  /** What is on screen; the address bar may be ahead of it by what is still being fetched. */
  readonly place: Place;
  readonly held: HeldStep | null;
}

export interface RouterOptions {
  /** The browser's window, or what stands for it in a test. */
  readonly window: Pick<Window, 'addEventListener'> & {
    readonly history: Pick<History, 'pushState' | 'replaceState' | 'go'> & { readonly state: unknown };
    readonly location: Pick<Location, 'pathname' | 'search' | 'hash'>;
  };
  /** Where somebody has to go instead; undefined lets them in. */
  readonly divert: (place: Place) => Way | undefined;
  /** Fetches what a place is shown with; undefined when it is here. A failure is the screen's to show. */
  readonly fetch: (place: Place) => Promise<unknown> | undefined;
  /** Told as soon as another path was asked for. */
  readonly onLeave: () => void;
  /** Resolves after as long as the old screen should stay for one that is not here yet. */
  readonly patience: () => Promise<unknown>;
}

/** The page's router. */
export class Router {
  readonly #options: RouterOptions;
  readonly #listeners = new Set<() => void>();
  readonly #blockers = new Set<object>();
  #state: RouterState;
  /** What the address bar says. */
  #asked: Place;
  /** Position of the entry in the history, to find the way back to it. */
  #index: number;
  /** The next event of the history only undoes a step that is being held. */
  #isReturning = false;
  /** The next event of the history has been allowed. */
  #isLetBy = false;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#index = indexOf(options.window.history.state) ?? 0;
    this.#asked = this.#admitted(this.#barPlace());
    this.#state = { place: this.#asked, held: null };
    this.#write(this.#asked, true);
    options.window.addEventListener('popstate', () => this.#onHistory());
  }

  /** What is shown now. */
  readonly get = (): RouterState => this.#state;

  /** Calls back after each change of what is shown; returns how to stop that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes somewhere; resolves once it is on screen, or somebody was asked whether to go at all. */
  readonly navigate = async ({
    to,
    params,
    search,
    replace = false,
    ignoreBlocker = false,
  }: Step): Promise<void> => {
    const way: Way = {
      to,
      params,
      search: typeof search === 'function' ? search(this.#asked.search as never) : search,
    };
    const go = async () => {
      const place = this.#admitted(placeAt(hrefOf(way)));
      this.#write(place, replace || place.href === this.#asked.href);
      await this.#show(place);
    };
    if (!ignoreBlocker && this.#blockers.size > 0) this.#hold(() => void go());
    else await go();
  };

  /** Fetches what a place is shown with before somebody goes there. */
  readonly preload = (way: Way): void => {
    // Whoever goes there sees what failed.
    this.#options.fetch(placeAt(hrefOf(way)))?.catch(() => undefined);
  };

  /** Asks before the place is left, until the returned function is called. */
  readonly block = (): (() => void) => {
    const blocker = {};
    this.#blockers.add(blocker);
    return () => {
      this.#blockers.delete(blocker);
      if (this.#blockers.size === 0 && this.#state.held) this.#change({ held: null });
    };
  };

  #onHistory(): void {
    if (this.#isReturning) {
      this.#isReturning = false;
      return;
    }
    const { history } = this.#options.window;
    const index = indexOf(history.state);
    const steps = index === undefined ? 0 : index - this.#index;
    if (this.#blockers.size > 0 && steps !== 0 && !this.#isLetBy) {
      this.#isReturning = true;
      history.go(-steps);
      this.#hold(() => {
        this.#isLetBy = true;
        history.go(steps);
      });
      return;
    }
    this.#isLetBy = false;
    this.#index = index ?? this.#index;
    const asked = this.#barPlace();
    const place = this.#admitted(asked);
    if (place !== asked || index === undefined) this.#write(place, true);
    void this.#show(place);
  }

  #hold(go: () => void): void {
    const release = () => this.#change({ held: null });
    this.#change({
      held: {
        go: () => {
          release();
          go();
        },
        stay: release,
      },
    });
  }

  async #show(place: Place): Promise<void> {
    const from = this.#asked;
    this.#asked = place;
    if (from.path !== place.path) this.#options.onLeave();
    const fetching = this.#options.fetch(place);
    if (fetching) await Promise.race([fetching.catch(() => undefined), this.#options.patience()]);
    // Whoever went on meanwhile wants to see that.
    if (this.#asked === place) this.#change({ place });
  }

  #barPlace(): Place {
    const { pathname, search, hash } = this.#options.window.location;
    return placeAt(pathname + search + hash);
  }

  #admitted(wanted: Place): Place {
    let place = wanted;
    for (let way = this.#options.divert(place); way; way = this.#options.divert(place))
      place = placeAt(hrefOf(way));
    return place;
  }

  #write({ href }: Place, replace: boolean): void {
    const { history } = this.#options.window;
    if (replace) history.replaceState({ index: this.#index }, '', href);
    else history.pushState({ index: ++this.#index }, '', href);
  }

  #change(changes: Partial<RouterState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function indexOf(state: unknown): number | undefined {
  const index = state !== null && typeof state === 'object' && 'index' in state ? state.index : undefined;
  return typeof index === 'number' ? index : undefined;
}
