import { messageOf } from '@vidette/contract/errors';
import { lazy, Suspense, useLayoutEffect } from 'react';
import { mayAddStreams, useUser } from '../api/session.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { addressOf } from '../routing/place.ts';
import { usePlace } from '../routing/react/router-context.tsx';
import { ForbiddenScreen } from './fallback-screens.tsx';
import { importDesk } from './import-desk.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { ScreenHost } from './screen-host.tsx';
import type { Screens } from './screens.ts';
import classes from './shell.module.css';
import { useRouteTitle } from './title.ts';

// Whoever is not signed in sees the sign-in, and should not wait for what stands around other screens.
const Desk = lazy(async () => ({ default: (await importDesk()).Desk }));

/** The frame around every screen: header, banners, and the screen itself if its viewer may see it. */
export function Shell({ screens }: { screens: Screens }) {
  const i18n = useI18n();
  const user = useUser();
  const place = usePlace();
  const { title = 'title.notFound', isPublic = false, audience } = addressOf(place) ?? {};
  useRouteTitle(i18n.t(title), place.href);
  useLayoutEffect(() => {
    if (window.scrollY > 0) window.scrollTo({ top: 0 });
  }, [place.path]);

  const isBare = user === null || isPublic;
  const mayEnter = !audience || (audience === 'admin' ? user?.isAdmin : mayAddStreams(user));
  const screen = (
    <main id="content" tabIndex={-1} className={classes.main}>
      {mayEnter ? (
        <ScreenHost screens={screens} />
      ) : (
        <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />
      )}
    </main>
  );
  return (
    <>
      <a href="#content" className={classes.skip}>
        {i18n.t('nav.skip')}
      </a>
      {isBare ? (
        <>
          <OfflineBanner />
          {screen}
        </>
      ) : (
        <Suspense fallback={null}>
          <Desk user={user} alert={<OfflineBanner />}>
            {screen}
          </Desk>
        </Suspense>
      )}
    </>
  );
}
