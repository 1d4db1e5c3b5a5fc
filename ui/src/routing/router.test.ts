import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locationAt } from '../app/addresses.ts';
import { Router, type RouterOptions } from './router.ts';
import { ScrollPositions } from './scroll-positions.ts';

/**
 * A browser window with a history; its events fire when `settle` is awaited, because they are asynchronous in a
 * browser.
 */
class FakeWindow {
  readonly entries: { state: unknown; href: string }[];
  at = 0;
  #scrollY = 0;
  readonly positions: ScrollPositions;
  readonly #listeners = new Map<string, () => void>();
  #coming = 0;

  constructor(href: string) {
    this.entries = [{ state: null, href }];
    let stored: string | null = null;
    this.positions = new ScrollPositions({
      getItem: () => stored,
      setItem: (_, value) => void (stored = value),
    });
  }

  readonly history = {
    owner: this as FakeWindow,
    get state() {
      return this.owner.entries[this.owner.at]?.state;
    },
    pushState: (state: unknown, _: string, href?: string | URL | null) => {
      this.entries.splice(++this.at, this.entries.length, { state, href: String(href) });
    },
    replaceState: (state: unknown, _: string, href?: string | URL | null) => {
      this.entries[this.at] = { state, href: String(href) };
    },
    go: (by = 0) => {
      this.at += by;
      this.#coming++;
    },
  };

  get href(): string {
    return this.entries[this.at]?.href ?? '';
  }

  get location() {
    return new URL(this.href, 'http://page');
  }

  get scrollY(): number {
    return this.#scrollY;
  }

  set scrollY(px: number) {
    this.#scrollY = px;
    this.#listeners.get('scroll')?.();
  }

  /** Scrolls as a browser does while it unloads the page: without any event. */
  slip(px: number): void {
    this.#scrollY += px;
  }

  addEventListener(name: string, listener: unknown): void {
    this.#listeners.set(name, listener as () => void);
  }

  /** The page is closed, or reloaded. */
  leave(): void {
    this.#listeners.get('pagehide')?.();
  }

  /** Fires the pending history events. */
  async settle(): Promise<void> {
    while (this.#coming > 0) {
      this.#coming--;
      this.#listeners.get('popstate')?.();
    }
    await Promise.resolve();
    await Promise.resolve();
  }
}

interface Stage {
  readonly window: FakeWindow;
  readonly router: Router;
  readonly left: string[];
}

let ids = 0;

/** A router over the window, with a shell that scrolls each screen immediately unless it is slow. */
function routerOver(window: FakeWindow, options: Partial<RouterOptions> = {}, isSlow = false): Router {
  const router = new Router({
    window,
    positions: window.positions,
    newId: () => `entry ${++ids}`,
    locationAt,
    redirect: () => undefined,
    fetch: () => undefined,
    patience: () => new Promise(() => {}),
    onLeave: () => {},
    ...options,
  });
  const settle = () => {
    if (!isSlow) router.settle(router.get().arrival);
  };
  settle();
  router.subscribe(settle);
  return router;
}

function stage(href: string, options: Partial<RouterOptions> = {}): Stage {
  const window = new FakeWindow(href);
  const left: string[] = [];
  const onLeave = () => void left.push(window.href);
  return { window, left, router: routerOver(window, { ...options, onLeave }) };
}

test('[R2.1] it starts at the location in the address bar, following aliases in place', () => {
  const { window, router } = stage('/ui/?x=1');
  assert.equal(router.get().location.name, '/streams');
  assert.deepEqual(
    window.entries.map(({ href }) => href),
    ['/ui/streams'],
  );
});

test('navigating adds an entry, navigating to the current location replaces it, and Back returns', async () => {
  const { window, router, left } = stage('/ui/streams');
  await router.navigate({ to: '/stream/$uid/view', params: { uid: 'gate' }, search: { t: 5 } });
  assert.equal(window.href, '/ui/stream/gate/view?t=5');
  assert.deepEqual(router.get().location.search, { t: 5 });
  await router.navigate({ to: '/stream/$uid/view', params: { uid: 'gate' }, search: { t: 5 } });
  assert.equal(window.entries.length, 2);
  window.history.go(-1);
  await window.settle();
  assert.equal(router.get().location.name, '/streams');
  assert.equal(left.length, 2);
});

test('a search may be computed from the current one, and does not leave the path', async () => {
  const { window, router, left } = stage('/ui/mosaic/4?page=2');
  await router.navigate({
    to: '/mosaic/$id',
    params: { id: '4' },
    search: (old) => ({ ...old, kiosk: true }),
    replace: true,
  });
  assert.equal(window.href, '/ui/mosaic/4?page=2&kiosk=true');
  assert.deepEqual(left, []);
});

test('a visitor without access is redirected before anything is shown or fetched', async () => {
  const fetched: (string | null)[] = [];
  const { window, router } = stage('/ui/streams', {
    redirect: ({ name }) => (name === '/auth' ? undefined : { to: '/auth' }),
    fetch: ({ name }) => {
      fetched.push(name);
      return undefined;
    },
  });
  assert.equal(window.href, '/ui/auth');
  await router.navigate({ to: '/help' });
  assert.equal(router.get().location.name, '/auth');
  assert.deepEqual(fetched, ['/auth']);
});

test('the old screen stays until the new one is loaded or the delay is over; the latest request wins', async () => {
  const arrivals = new Map<string | null, PromiseWithResolvers<void>>();
  const endOfPatience = Promise.withResolvers<void>();
  const { window, router } = stage('/ui/streams', {
    fetch: ({ name }) => {
      const arrival = Promise.withResolvers<void>();
      arrivals.set(name, arrival);
      return arrival.promise;
    },
    patience: () => endOfPatience.promise,
  });
  const toHelp = router.navigate({ to: '/help' });
  const toMosaics = router.navigate({ to: '/mosaics' });
  assert.equal(window.href, '/ui/mosaics');
  assert.equal(router.get().location.name, '/streams');
  arrivals.get('/mosaics')?.resolve();
  await toMosaics;
  assert.equal(router.get().location.name, '/mosaics');
  arrivals.get('/help')?.resolve();
  await toHelp;
  assert.equal(router.get().location.name, '/mosaics');
  const toSettings = router.navigate({ to: '/settings' });
  endOfPatience.resolve();
  await toSettings;
  assert.equal(router.get().location.name, '/settings');
});

test('a screen that cannot be fetched is opened anyway, so that it shows the error', async () => {
  const { router } = stage('/ui/streams', { fetch: () => Promise.reject(new Error('away')) });
  await router.navigate({ to: '/help' });
  assert.equal(router.get().location.name, '/help');
});

test('a blocked navigation continues or is cancelled, as the user decides', async () => {
  const { window, router } = stage('/ui/add-stream');
  const release = router.block();
  await router.navigate({ to: '/streams' });
  assert.equal(window.href, '/ui/add-stream');
  router.get().held?.stay();
  assert.equal(router.get().held, null);
  await router.navigate({ to: '/streams' });
  router.get().held?.go();
  await window.settle();
  assert.equal(router.get().location.name, '/streams');
  release();
  await router.navigate({ to: '/help' });
  assert.equal(router.get().location.name, '/help');
});

test('a navigation that ignores blockers is not blocked', async () => {
  const { router } = stage('/ui/add-stream');
  router.block();
  await router.navigate({ to: '/streams', ignoreBlocker: true });
  assert.equal(router.get().location.name, '/streams');
});

test('Back is undone while the user is asked, and done after confirmation', async () => {
  const { window, router } = stage('/ui/streams');
  await router.navigate({ to: '/help' });
  await router.navigate({ to: '/add-stream' });
  router.block();
  window.history.go(-2);
  await window.settle();
  assert.equal(window.href, '/ui/add-stream');
  assert.equal(router.get().location.name, '/add-stream');
  router.get().held?.go();
  await window.settle();
  assert.equal(window.href, '/ui/streams');
  assert.equal(router.get().location.name, '/streams');
});

test('a question that no longer needs an answer disappears', async () => {
  const { router } = stage('/ui/add-stream');
  const release = router.block();
  await router.navigate({ to: '/streams' });
  assert.ok(router.get().held);
  release();
  assert.equal(router.get().held, null);
});

test('a manually entered hash is followed', async () => {
  const { window, router } = stage('/ui/swagger');
  window.entries.push({ state: null, href: '/ui/swagger#addStream' });
  window.history.go(1);
  await window.settle();
  assert.equal(router.get().location.hash, 'addStream');
});

test('[R2.22] Back and Forward restore the scroll position, a new visit starts at the top, and a reload keeps the position', async () => {
  const { window, router } = stage('/ui/streams');
  window.scrollY = 3000;
  await router.navigate({ to: '/bookmarks' });
  assert.equal(router.get().arrival.scrollTop, 0);
  window.scrollY = 700;
  window.history.go(-1);
  await window.settle();
  assert.equal(router.get().arrival.scrollTop, 3000);
  window.scrollY = 3100;
  window.history.go(1);
  await window.settle();
  assert.equal(router.get().arrival.scrollTop, 700);
  window.history.go(-1);
  await window.settle();
  assert.equal(router.get().arrival.scrollTop, 3100);
  // A new branch of the history has none of the positions of the previous one.
  await router.navigate({ to: '/bookmarks' });
  assert.equal(router.get().arrival.scrollTop, 0);
  window.scrollY = 420;
  window.slip(-44);
  window.leave();
  const reloaded = routerOver(window);
  assert.equal(reloaded.get().arrival.scrollTop, 420);
  window.history.go(-1);
  await window.settle();
  assert.equal(reloaded.get().arrival.scrollTop, 3100);
});

test('[R2.22] a reload keeps the scroll positions of all screens, including those left by Back and Forward', async () => {
  const { window, router } = stage('/ui/streams');
  window.scrollY = 3000;
  await router.navigate({ to: '/bookmarks' });
  window.scrollY = 700;
  window.history.go(-1);
  await window.settle();
  // The entry that the history left can't be written to any more.
  window.scrollY = 4500;
  window.history.go(1);
  await window.settle();
  window.leave();
  const reloaded = routerOver(window);
  window.history.go(-1);
  await window.settle();
  assert.equal(reloaded.get().arrival.scrollTop, 4500);
});

test('[R2.22] a screen that is left before it is loaded keeps its scroll position', async () => {
  const { window, router } = stage('/ui/streams');
  window.scrollY = 3000;
  await router.navigate({ to: '/bookmarks' });
  window.scrollY = 700;
  window.history.go(-1);
  await window.settle();
  window.scrollY = 3000;
  window.leave();
  // The list is still loading, so that the window can't be scrolled, when the page is reloaded and left by Forward.
  window.scrollY = 0;
  const slow = routerOver(window, {}, true);
  window.leave();
  const again = routerOver(window, {}, true);
  assert.equal(again.get().arrival.scrollTop, 3000);
  window.history.go(1);
  await window.settle();
  assert.equal(again.get().arrival.scrollTop, 700);
  window.history.go(-1);
  await window.settle();
  assert.equal(again.get().arrival.scrollTop, 3000);
  again.settle(again.get().arrival);
  window.scrollY = 2500;
  window.leave();
  assert.equal(routerOver(window).get().arrival.scrollTop, 2500);
  assert.equal(slow.get().arrival.scrollTop, 3000);
});

test('[R2.22] a screen whose code is not loaded yet does not get the position of the current one', async () => {
  const { window, router } = stage('/ui/streams', {
    fetch: ({ name }) => (name === '/help' ? new Promise(() => {}) : undefined),
  });
  window.scrollY = 3000;
  void router.navigate({ to: '/help' });
  await window.settle();
  window.history.go(-1);
  await window.settle();
  assert.equal(router.get().arrival.scrollTop, 3000);
  window.history.go(1);
  await window.settle();
  window.leave();
  assert.equal(routerOver(window).get().arrival.scrollTop, 0);
});

test('a history entry of another program, or of another version, is used as far as it is valid', () => {
  for (const state of [7, 'x', { index: 'x' }, { index: 2, id: 7 }, { index: 2, id: 'unknown' }]) {
    const { window } = stage('/ui/streams');
    window.history.replaceState(state, '', '/ui/streams');
    const router = routerOver(window);
    assert.equal(router.get().arrival.scrollTop, 0);
  }
});

test('a change of the search parameters does not scroll the screen', async () => {
  const { window, router } = stage('/ui/bookmarks');
  const { arrival } = router.get();
  window.scrollY = 500;
  await router.navigate({ to: '/bookmarks', search: { q: 'gate' } as never, replace: true });
  assert.equal(router.get().arrival, arrival);
});
