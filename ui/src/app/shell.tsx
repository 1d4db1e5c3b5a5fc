import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { messageOf } from '@vidette/contract/errors';
import { lazy, Suspense } from 'react';
import { mayAddStreams, useUser } from '../api/session.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { ForbiddenScreen } from './fallback-screens.tsx';
import { importDesk } from './import-desk.ts';
import { OfflineBanner } from './offline-banner.tsx';
import classes from './shell.module.css';
import { useRouteTitle } from './title.ts';

// Whoever is not signed in sees the sign-in, and should not wait for what stands around other screens.
const Desk = lazy(async () => ({ default: (await importDesk()).Desk }));

/** The frame around every screen: header, banners, and the screen itself if its viewer may see it. */
export function Shell() {
  const i18n = useI18n();
  const user = useUser();
  const statics = useMatches({ select: (matches) => matches.map(({ staticData }) => staticData) });
  const href = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href ?? '' });
  const title = statics.findLast(({ title }) => title)?.title;
  useRouteTitle(title ? i18n.t(title) : '', href);

  const isBare = user === null || statics.some(({ isPublic }) => isPublic);
  const mayEnter = statics.every(
    ({ audience }) => !audience || (audience === 'admin' ? user?.isAdmin : mayAddStreams(user)),
  );
  const screen = (
    <main id="content" tabIndex={-1} className={classes.main}>
      {mayEnter ? <Outlet /> : <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />}
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
