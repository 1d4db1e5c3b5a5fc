import type { NavigateOptions } from './addresses.ts';
import { hrefOf, type RouteLocation, type LinkTarget } from './location.ts';

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
  /** Scroll positions of the history entries when they were left, by index, px. */
  readonly #scrolled: Map<number, number>;
  /** The next history event only undoes a blocked navigation. */
  #isReturning = false;
  /** The next history event has been allowed. */
  #isLetBy = false;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#index = indexOf(options.window.history.state) ?? 0;
    this.#asked = this.#admitted(this.#barPlace());
    // Stored by a page that was left or reloaded.
    this.#scrolled = scrolledOf(options.window.history.state);
    const scrollTop = memberOf(options.window.history.state, 'scrollTop') ?? 0;
    this.#state = { location: this.#asked, held: null, arrival: { scrollTop } };
    this.#write(this.#asked, true);
    options.window.addEventListener('popstate', () => this.#onHistory());
    options.window.addEventListener('pagehide', () => this.#keepScroll());
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
      if (!replace && !isSame) this.#keepScroll();
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

  /** @param returned how the location was left, when it is returned to */
  async #show(location: RouteLocation, returned?: Arrival, isImmediate = false): Promise<void> {
    const from = this.#asked;
    this.#asked = location;
    if (from.path !== location.path) this.#options.onLeave();
    const fetching = this.#options.fetch(location);
    if (fetching && !isImmediate)
      await Promise.race([fetching.catch(() => undefined), this.#options.patience()]);
    // The user went elsewhere meanwhile and wants to see that.
    if (this.#asked !== location) return;
    const hasMoved = this.#state.location.path !== location.path;
    const arrival = returned ?? (hasMoved ? { scrollTop: 0 } : this.#state.arrival);
    this.#change({ location, arrival });
  }

  /**
   * Stores the scroll position in the history entry being left, and those of all others with it: they survive a reload.
   * The entry that Back or Forward leaves can't be written to any more when the page hears of it.
   */
  #keepScroll(): void {
    const { history, scrollY } = this.#options.window;
    this.#scrolled.set(this.#index, scrollY);
    const state = { index: this.#index, scrollTop: scrollY, scrolled: [...this.#scrolled] };
    history.replaceState(state, '', this.#asked.href);
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
    const { history } = this.#options.window;
    if (replace) history.replaceState({ index: this.#index }, '', href);
    else {
      history.pushState({ index: ++this.#index }, '', href);
      // Entries after the new one no longer exist.
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

/** The scroll positions that a history entry has of all entries. */
function scrolledOf(state: unknown): Map<number, number> {
  const found =
    state !== null && typeof state === 'object' && 'scrolled' in state ? state.scrolled : undefined;
  if (!Array.isArray(found)) return new Map();
  return new Map(found.filter(isPosition));
}

function isPosition(entry: unknown): entry is [number, number] {
  return Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'number');
}

/** A number stored in a history entry. */
function memberOf(state: unknown, name: 'index' | 'scrollTop'): number | undefined {
  const found =
    state !== null && typeof state === 'object' ? (state as Record<string, unknown>)[name] : undefined;
  return typeof found === 'number' ? found : undefined;
}
