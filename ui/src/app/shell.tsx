import { messageOf } from '@vidette/contract/errors';
import {
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  type ComponentProps,
  type RefObject,
} from 'react';
import { mayAddStreams, useUser } from '../api/session.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { addressOf } from './addresses.ts';
import { focusHeading } from '../routing/react/focus.ts';
import { useArrival, useRouteLocation, useRouter } from '../routing/react/router-context.tsx';
import { scrollBack } from '../routing/scroll.ts';
import { ForbiddenScreen } from '../components/fallback-screens.tsx';
import { SkipLink } from '../components/skip-link.tsx';
import type { AppShell } from './frame/app-shell.tsx';
import { readAppShell } from './import-app-shell.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { ScreenHost } from './screen-host.tsx';
import type { Screens } from './screens.ts';
import { UpdatedBanner } from './updated-banner.tsx';
import classes from './shell.module.css';
import { useRouteTitle } from '../page/title.ts';

/** A visitor who is not signed in sees the sign-in screen, and should not wait for the application frame. */
function LoadedAppShell(props: ComponentProps<typeof AppShell>) {
  const found = readAppShell();
  const { AppShell } = found instanceof Promise ? use(found) : found;
  return <AppShell {...props} />;
}

/** The frame around every screen: header, banners, and the screen itself if its viewer may see it. */
export function Shell({ screens }: { screens: Screens }) {
  const i18n = useI18n();
  const user = useUser();
  const location = useRouteLocation();
  const { title = 'title.notFound', isPublic = false, audience } = addressOf(location) ?? {};
  useRouteTitle(i18n.t(title), location.href);
  // [R2.22] A new screen begins at the top; Back and Forward restore the previous position.
  const router = useRouter();
  const arrival = useArrival();
  useLayoutEffect(
    () =>
      scrollBack(arrival.scrollTop, {
        view: window,
        onGrowth: onPageGrowth,
        onEnd: () => router.settle(arrival),
      }),
    [router, arrival],
  );
  const content = useScreenFocus(location.path);

  const isBare = user === null || isPublic;
  const mayEnter = !audience || (audience === 'admin' ? user?.isAdmin : mayAddStreams(user));
  const screen = (
    <main id="content" ref={content} tabIndex={-1} className={classes.main}>
      {mayEnter ? (
        <ScreenHost screens={screens} />
      ) : (
        <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />
      )}
    </main>
  );
  const alerts = (
    <>
      <OfflineBanner />
      <UpdatedBanner />
    </>
  );
  return (
    <>
      <SkipLink to="content">{i18n.t('nav.skip')}</SkipLink>
      {isBare ? (
        <>
          {alerts}
          {screen}
        </>
      ) : (
        <Suspense fallback={null}>
          <LoadedAppShell user={user} alert={alerts}>
            {screen}
          </LoadedAppShell>
        </Suspense>
      )}
    </>
  );
}

/**
 * Moves the focus to the heading after each navigation to another path; one within a screen, and the first screen of a
 * loaded page, leave it where it is.
 */
function useScreenFocus(path: string): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path || !content.current) return;
    shown.current = path;
    return focusHeading(content.current);
  }, [path]);
  return content;
}

function onPageGrowth(listener: () => void): () => void {
  const observer = new ResizeObserver(listener);
  observer.observe(document.body);
  return () => observer.disconnect();
}
