import { ApiError } from '@vidette/contract/client';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { api } from './api/api.ts';
import { isRenewingSession } from './api/proof.ts';
import { forgetSession, onUser, setUser, settingsQuery, userOf } from './api/session.ts';
import { redirection, screenFor } from './app/admission.ts';
import { App } from './app/app.tsx';
import { readBoot } from './app/boot.ts';
import { browserClock } from './base/clock.ts';
import { chosenZone } from './page/chosen-zone.ts';
import { ColorScheme } from './page/color-scheme.ts';
import { Connection } from './page/connection.ts';
import { replaceDestination } from './page/sign-in-destination.ts';
import { importUntilLoaded } from './page/import-until-loaded.ts';
import { loadFailedStyles } from './page/lazy-part.ts';
import { rememberHostApp } from './page/host-app.ts';
import { importAppShell } from './app/import-app-shell.ts';
import { LanguageStore } from './page/language-store.ts';
import { pageVersion } from './page/page-version.ts';
import { followOpenedNotifications } from './app/opened-notifications.ts';
import { putOfflinePageBy } from './app/offline-page.ts';
import { createQueryClient } from './app/query-client.ts';
import { Screens } from './app/screens.ts';
import { chooseLanguage, loadI18n } from './i18n/i18n.ts';
import { addressOf, isAddressName, locationAt } from './app/addresses.ts';
import type { NavigateOptions } from './routing/addresses.ts';
import { Router } from './routing/router.ts';
import { ScrollPositions } from './routing/scroll-positions.ts';
import './app/styles.ts';

// Composes the page: boot data, then language, then the services that outlive every screen.

/** A screen that loads within this time replaces the old one directly, without a loading indicator. */
const patienceMs = 150;
const patience = () => new Promise((resolve) => setTimeout(resolve, patienceMs));
/** What is on the first screen is loaded before the page follows what changes. */
const patienceBeforeFollowingMs = 1_000;

rememberHostApp(window.location.search, sessionStorage);

const boot = readBoot(document) ?? { settings: await api.getSettings(), user: null, language: null };
const frame = boot.user ? importAppShell().catch(() => undefined) : undefined;
const learning = loadI18n(
  chooseLanguage([boot.user?.language, boot.settings.defaultLanguage, ...navigator.languages]),
).then((i18n) => new LanguageStore(i18n, document));
const screens = new Screens(async () => (await learning).learnAll());
const { pathname, search, hash } = window.location;
const first = screenFor(locationAt(pathname + search + hash), {
  isLocked: boot.settings.isLocked,
  isSignedIn: boot.user !== null,
});
// The first screen's script loads in parallel with the messages; its failure is shown where it is awaited.
const screen = first === null ? undefined : screens.fetch(first)?.catch(() => undefined);
const language = await learning;
// What follows is a task of its own: all of the start in one would delay a click on a slow machine.
await new Promise((resolve) => setTimeout(resolve));

const colorScheme = new ColorScheme(boot.user?.preferences.theme ?? 'auto');

const connection = new Connection({
  probe: async () => {
    try {
      await api.getSettings();
    } catch (error) {
      // A refusal is also an answer.
      if (!(error instanceof ApiError) || error.status === 0) throw error;
    }
  },
  onBack: () => void queryClient.invalidateQueries(),
});

const queryClient = createQueryClient({
  i18n: language.get,
  serverLost: () => connection.lose(),
  // Unsaved input can't be saved any more: the user is not asked whether to discard it.
  toNotFound: () => void router.navigate({ to: '/not-found', replace: true, ignoreBlocker: true }),
  toInit: () => {
    // The server was reset: what this page knew of it and of its user is no longer valid.
    queryClient.setQueryData(settingsQuery.queryKey, (known) => known && { ...known, isLocked: true });
    forgetSession(queryClient);
    void router.navigate({ to: '/init', ignoreBlocker: true, isImmediate: true });
  },
  toSignIn: () => {
    // The user ended the session, and its screen is shown until the sign-in page is loaded: nothing has expired.
    if (!userOf(queryClient)) return;
    if (!isRenewingSession()) {
      leaveForSignIn();
      return;
    }
    api.getProfile().then(
      () => queryClient.invalidateQueries(),
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 401) leaveForSignIn();
      },
    );
  },
});

function leaveForSignIn(): void {
  const { location } = router.get();
  const { name, params, search } = location;
  if (name === null || addressOf(location)?.isPublic) return;
  replaceDestination(sessionStorage, { name, params, search });
  forgetSession(queryClient);
  void router.navigate({ to: '/auth', search: { expired: true }, ignoreBlocker: true, isImmediate: true });
}
queryClient.setQueryData(settingsQuery.queryKey, boot.settings);
// The user's own preferences apply as soon as the user is known; after sign-out the current ones stay.
onUser(queryClient, (user) => {
  if (!user) return;
  const { theme, timeZone } = user.preferences;
  colorScheme.show(theme);
  const { timeZone: serverZone = null } = queryClient.getQueryData(settingsQuery.queryKey) ?? {};
  language.moveTo(chosenZone(timeZone, serverZone));
});
setUser(queryClient, boot.user);

// The router does it itself: when the browser tries, the screen to scroll is not rendered yet.
window.history.scrollRestoration = 'manual';
const router = new Router({
  window,
  positions: new ScrollPositions(sessionStorage),
  newId: () => Math.random().toString(36).slice(2),
  locationAt,
  redirect: (location, isWanted) => redirection(location, isWanted, queryClient, sessionStorage),
  fetch: ({ name }) => (name === null ? undefined : screens.fetch(name)),
  // [R2.20]
  onLeave: () => void queryClient.prefetchQuery({ ...settingsQuery, staleTime: 0 }),
  patience,
});

followOpenedNotifications(window, (path) => {
  const { name: to, params, search } = locationAt(path);
  if (to !== null) void router.navigate({ to, params, search } as NavigateOptions);
});

loadFailedStyles(document);

let isToFollow = false;
/** After the first screen, which need not wait for it: until then the page polls. */
function followWhenShown(): void {
  if (isToFollow || !userOf(queryClient)) return;
  isToFollow = true;
  browserClock.after(patienceBeforeFollowingMs, () => {
    void importUntilLoaded(() => import('./app/changes/follow.ts'), browserClock, pageVersion).then(
      ({ follow }) => follow(queryClient),
    );
  });
}
onUser(queryClient, followWhenShown);

const container = document.getElementById('root');
if (!container) throw new Error('The page has no #root');
const root = createRoot(container);
// They usually arrive with the messages. Without them, React would draw the page in three steps, at least 0.3 s apart.
await Promise.race([Promise.all([frame, screen]), patience()]);
// As a transition, it is rendered in short tasks.
startTransition(() =>
  root.render(
    <App
      queryClient={queryClient}
      router={router}
      screens={screens}
      services={{ connection, language, colorScheme, isAddressName }}
    />,
  ),
);
followWhenShown();
putOfflinePageBy(window);
