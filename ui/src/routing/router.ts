import type { NavigateOptions } from './addresses.ts';
import { hrefOf, locationAt, type RouteLocation, type LinkTarget } from './location.ts';

// The address bar and the screen, kept in step: what is asked for is checked, fetched, and then shown. Nothing here
// knows React; `react/` hands it to components.

/** A step that waits for somebody's word. */
export interface HeldNavigation {
  go(): void;
  stay(): void;
}

/** What the page shows. */
export interface RouterState {
  /** What is on screen; the address bar may be ahead of it by what is still being fetched. */
  readonly location: RouteLocation;
  readonly held: HeldNavigation | null;
  /** How the screen was reached: another object after each step to another path or through the history. */
  readonly arrival: Arrival;
}

/** How a screen begins. */
export interface Arrival {
  /** How far down it was scrolled when it was left, which Back and Forward return to; 0 for one that was gone to, px. */
  readonly scrollTop: number;
}

export interface RouterOptions {
  /** The browser's window, or what stands for it in a test. */
  readonly window: Pick<Window, 'addEventListener' | 'scrollY'> & {
    readonly history: Pick<History, 'pushState' | 'replaceState' | 'go'> & { readonly state: unknown };
    readonly location: Pick<Location, 'pathname' | 'search' | 'hash'>;
  };
  /** Where the person has to go instead; undefined lets them in. `isWanted`: they asked for the place themselves. */
  readonly redirect: (location: RouteLocation, isWanted: boolean) => LinkTarget | undefined;
  /** Fetches what a place is shown with; undefined when it is here. A failure is the screen's to show. */
  readonly fetch: (location: RouteLocation) => Promise<unknown> | undefined;
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
  #asked: RouteLocation;
  /** Position of the entry in the history, to find the way back to it. */
  #index: number;
  /** How far down the entries of the history were scrolled when they were left, by their positions, px. */
  readonly #scrolled = new Map<number, number>();
  /** The next event of the history only undoes a step that is being held. */
  #isReturning = false;
  /** The next event of the history has been allowed. */
  #isLetBy = false;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#index = indexOf(options.window.history.state) ?? 0;
    this.#asked = this.#admitted(this.#barPlace());
    // Kept by a page that was left or reloaded.
    const scrollTop = memberOf(options.window.history.state, 'scrollTop') ?? 0;
    this.#state = { location: this.#asked, held: null, arrival: { scrollTop } };
    this.#write(this.#asked, true);
    options.window.addEventListener('popstate', () => this.#onHistory());
    options.window.addEventListener('pagehide', () => this.#keepScroll());
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
    isImmediate = false,
  }: NavigateOptions): Promise<void> => {
    const target: LinkTarget = {
      to,
      params,
      search: typeof search === 'function' ? search(this.#asked.search as never) : search,
    };
    const go = async () => {
      const location = this.#admitted(locationAt(hrefOf(target)));
      const isSame = location.href === this.#asked.href;
      if (!replace && !isSame) this.#keepScroll();
      this.#write(location, replace || isSame);
      await this.#show(location, undefined, isImmediate);
    };
    if (!ignoreBlocker && this.#blockers.size > 0) this.#hold(() => void go());
    else await go();
  };

  /** Fetches what a place is shown with before somebody goes there. */
  readonly preload = (target: LinkTarget): void => {
    // Whoever goes there sees what failed.
    this.#options.fetch(locationAt(hrefOf(target)))?.catch(() => undefined);
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
    if (steps !== 0) this.#scrolled.set(this.#index, this.#options.window.scrollY);
    this.#index = index ?? this.#index;
    const scrollTop = this.#scrolled.get(this.#index) ?? memberOf(history.state, 'scrollTop') ?? 0;
    const asked = this.#barPlace();
    const location = this.#admitted(asked);
    if (location !== asked || index === undefined) this.#write(location, true);
    void this.#show(location, { scrollTop });
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

  /** @param returned how the place was left, when it is returned to */
  async #show(location: RouteLocation, returned?: Arrival, isImmediate = false): Promise<void> {
    const from = this.#asked;
    this.#asked = location;
    if (from.path !== location.path) this.#options.onLeave();
    const fetching = this.#options.fetch(location);
    if (fetching && !isImmediate)
      await Promise.race([fetching.catch(() => undefined), this.#options.patience()]);
    // Whoever went on meanwhile wants to see that.
    if (this.#asked !== location) return;
    const hasMoved = this.#state.location.path !== location.path;
    const arrival = returned ?? (hasMoved ? { scrollTop: 0 } : this.#state.arrival);
    this.#change({ location, arrival });
  }

  /** Notes in the entry that is left how far down it is: it survives the page. */
  #keepScroll(): void {
    const { history, scrollY } = this.#options.window;
    this.#scrolled.set(this.#index, scrollY);
    history.replaceState({ index: this.#index, scrollTop: scrollY }, '', this.#asked.href);
  }

  #barPlace(): RouteLocation {
    const { pathname, search, hash } = this.#options.window.location;
    return locationAt(pathname + search + hash);
  }

  #admitted(wanted: RouteLocation): RouteLocation {
    let location = wanted;
    for (
      let target = this.#options.redirect(location, true);
      target;
      target = this.#options.redirect(location, false)
    )
      location = locationAt(hrefOf(target));
    return location;
  }

  #write({ href }: RouteLocation, replace: boolean): void {
    const { history } = this.#options.window;
    if (replace) history.replaceState({ index: this.#index }, '', href);
    else {
      history.pushState({ index: ++this.#index }, '', href);
      // What stood there before is no way forward any more.
      this.#scrolled.delete(this.#index);
    }
  }

  #change(changes: Partial<RouterState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function indexOf(state: unknown): number | undefined {
  return memberOf(state, 'index');
}

/** A number that an entry of the history carries. */
function memberOf(state: unknown, name: 'index' | 'scrollTop'): number | undefined {
  const found =
    state !== null && typeof state === 'object' ? (state as Record<string, unknown>)[name] : undefined;
  return typeof found === 'number' ? found : undefined;
}
