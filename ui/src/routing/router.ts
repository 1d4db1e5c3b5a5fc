import type { NavigateOptions } from './addresses.ts';
import { hrefOf, type RouteLocation, type LinkTarget } from './location.ts';
import type { ScrollPositions } from './scroll-positions.ts';

// Keeps the address bar and the screen in step: a requested location is checked, fetched, and then shown.
// Independent of React; `react/` provides it to components.

/** A navigation that waits for the user's confirmation. */
export interface HeldNavigation {
  go(): void;
  stay(): void;
}

/** What the page shows. */
export interface RouterState {
  /** The location on screen; the address bar may be ahead of it while a screen is fetched. */
  readonly location: RouteLocation;
  readonly held: HeldNavigation | null;
  /** How the screen was reached: a new object after each navigation to another path or through the history. */
  readonly arrival: Arrival;
}

/** How a screen begins. */
export interface Arrival {
  /**
   * Scroll position when the screen was left, which Back and Forward restore; 0 after any other navigation, px.
   */
  readonly scrollTop: number;
}

export interface RouterOptions {
  /** The browser's window, or its substitute in a test. */
  readonly window: Pick<Window, 'addEventListener' | 'scrollY'> & {
    readonly history: Pick<History, 'pushState' | 'replaceState' | 'go'> & { readonly state: unknown };
    readonly location: Pick<Location, 'pathname' | 'search' | 'hash'>;
  };
  /** The scroll positions of the history entries, by id. */
  readonly positions: Pick<ScrollPositions, 'get' | 'set'>;
  /** Creates an id for a history entry. */
  readonly newId: () => string;
  /** Resolves an address of the page. */
  readonly locationAt: (href: string) => RouteLocation;
  /** The redirect target; undefined lets the user in. `isWanted`: the user requested the location directly. */
  readonly redirect: (location: RouteLocation, isWanted: boolean) => LinkTarget | undefined;
  /**
   * Fetches what a location needs to be shown; undefined when it is loaded. The screen shows a failure itself.
   */
  readonly fetch: (location: RouteLocation) => Promise<unknown> | undefined;
  /** Called as soon as another path is requested. */
  readonly onLeave: () => void;
  /** Resolves after the time that the old screen stays for one that is not loaded yet. */
  readonly patience: () => Promise<unknown>;
}

/** The page's router. */
export class Router {
  readonly #options: RouterOptions;
  readonly #listeners = new Set<() => void>();
  readonly #blockers = new Set<object>();
  #state: RouterState;
  /** The location in the address bar. */
  #asked: RouteLocation;
  /** Index of the entry in the history, used to return to it. */
  #index: number;
  /** Id of the entry in the history, under which its scroll position is stored. */
  #id: string;
  /** How the requested screen begins; the screen may still be on its way. */
  #arrival: Arrival;
  /** The last arrival whose screen reached its scroll position. */
  #settled: Arrival | undefined;
  /** The window's last scroll position, px. */
  #scrolledTo = 0;
  /** Whether the next history event only undoes a blocked navigation. */
  #isReturning = false;
  /** Whether the next history event has been allowed. */
  #isLetBy = false;

  constructor(options: RouterOptions) {
    this.#options = options;
    const entry = entryOf(options.window.history.state);
    this.#index = entry.index ?? 0;
    this.#id = entry.id ?? options.newId();
    this.#asked = this.#admitted(this.#barPlace());
    this.#arrival = this.#arrivalAtEntry();
    this.#state = { location: this.#asked, held: null, arrival: this.#arrival };
    this.#write(this.#asked, true);
    options.window.addEventListener('popstate', () => this.#onHistory());
    // A phone may discard a hidden page without another event.
    for (const leaving of ['pagehide', 'visibilitychange'])
      options.window.addEventListener(leaving, () => this.#keepScroll(this.#scrolledTo));
    // Chromium moves a narrow page by up to 44 px while it unloads it, before `pagehide` and without a scroll event.
    options.window.addEventListener('scroll', () => this.#noteScroll(), { passive: true });
  }

  /** The current state. */
  readonly get = (): RouterState => this.#state;

  /** Calls back after each change of the state; returns the unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Navigates; resolves once the target is on screen, or the user was asked for a confirmation. */
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
      const location = this.#admitted(this.#options.locationAt(hrefOf(target)));
      const isSame = location.href === this.#asked.href;
      if (!replace && !isSame) this.#keepScroll(this.#options.window.scrollY);
      this.#write(location, replace || isSame);
      await this.#show(location, undefined, isImmediate);
    };
    if (!ignoreBlocker && this.#blockers.size > 0) this.#hold(() => void go());
    else await go();
  };

  /** Prefetches what a location needs to be shown. */
  readonly preload = (target: LinkTarget): void => {
    // A failure is shown on navigation.
    this.#options.fetch(this.#options.locationAt(hrefOf(target)))?.catch(() => undefined);
  };

  /** The screen of this arrival reached its scroll position, or the user scrolls: from now on the window's position counts. */
  readonly settle = (arrival: Arrival): void => {
    this.#settled = arrival;
    this.#noteScroll();
  };

  /** Asks for confirmation before the location is left, until the returned function is called. */
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
    const { index, id } = entryOf(history.state);
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
    this.#keepScroll(this.#options.window.scrollY);
    this.#index = index ?? this.#index;
    this.#id = id ?? this.#options.newId();
    const asked = this.#barPlace();
    const location = this.#admitted(asked);
    if (location !== asked || index === undefined || id === undefined) this.#write(location, true);
    void this.#show(location, this.#arrivalAtEntry());
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

  /** @param returned how the location was left, when it is returned to */
  async #show(location: RouteLocation, returned?: Arrival, isImmediate = false): Promise<void> {
    const from = this.#asked;
    this.#asked = location;
    if (from.path !== location.path) this.#options.onLeave();
    const hasMoved = this.#state.location.path !== location.path;
    const arrival = returned ?? (hasMoved ? { scrollTop: 0 } : this.#state.arrival);
    this.#arrival = arrival;
    const fetching = this.#options.fetch(location);
    if (fetching && !isImmediate)
      await Promise.race([fetching.catch(() => undefined), this.#options.patience()]);
    // The user has navigated elsewhere meanwhile.
    if (this.#asked !== location) return;
    this.#change({ location, arrival });
  }

  #noteScroll(): void {
    this.#scrolledTo = this.#options.window.scrollY;
  }

  /**
   * Stores the scroll position of the current entry; a screen that is still being scrolled to its target keeps
   * that target.
   */
  #keepScroll(px: number): void {
    const isSettled = this.#settled === this.#arrival;
    this.#options.positions.set(this.#id, isSettled ? px : this.#arrival.scrollTop);
  }

  #arrivalAtEntry(): Arrival {
    return { scrollTop: this.#options.positions.get(this.#id) ?? 0 };
  }

  #barPlace(): RouteLocation {
    const { pathname, search, hash } = this.#options.window.location;
    return this.#options.locationAt(pathname + search + hash);
  }

  #admitted(wanted: RouteLocation): RouteLocation {
    let location = wanted;
    for (
      let target = this.#options.redirect(location, true);
      target;
      target = this.#options.redirect(location, false)
    )
      location = this.#options.locationAt(hrefOf(target));
    return location;
  }

  #write({ href }: RouteLocation, replace: boolean): void {
    const { window, newId } = this.#options;
    if (!replace) {
      this.#index++;
      this.#id = newId();
    }
    const entry: HistoryEntry = { index: this.#index, id: this.#id };
    if (replace) window.history.replaceState(entry, '', href);
    else window.history.pushState(entry, '', href);
  }

  #change(changes: Partial<RouterState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** What the router stores in a history entry. */
interface HistoryEntry {
  readonly index: number;
  readonly id: string;
}

/** Reads a history entry, which may be of another program or version. */
function entryOf(state: unknown): Partial<HistoryEntry> {
  if (state === null || typeof state !== 'object') return {};
  const { index, id } = state as Record<keyof HistoryEntry, unknown>;
  return {
    ...(typeof index === 'number' && { index }),
    ...(typeof id === 'string' && { id }),
  };
}
