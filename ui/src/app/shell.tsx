import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import type { User } from '@vidette/contract/entities';
import { messageOf } from '@vidette/contract/errors';
import { lazy, Suspense, type ReactNode } from 'react';
import { mayAddStreams, useUser } from '../api/session.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { Banners } from './banners.tsx';
import { ForbiddenScreen } from './fallback-screens.tsx';
import { Header } from './header.tsx';
import classes from './shell.module.css';
import { useRouteTitle } from './title.ts';
import { usePalette } from './use-palette.ts';
import { useSideBar } from './use-side-bar.ts';

// Both are asked for by a click or a key: the first picture should not wait for them.
const SideBar = lazy(async () => ({ default: (await import('./side-bar.tsx')).SideBar }));
const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));

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
  const screen = mayEnter ? <Outlet /> : <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />;
  return (
    <>
      <a href="#content" className={classes.skip}>
        {i18n.t('nav.skip')}
      </a>
      {isBare ? <Content isSignedIn={false}>{screen}</Content> : <Desk user={user}>{screen}</Desk>}
    </>
  );
}

/** What stands around the screens of somebody who is signed in. */
function Desk({ user, children }: { user: User; children: ReactNode }) {
  const sideBar = useSideBar();
  const palette = usePalette();
  return (
    <>
      <Header user={user} sideBar={sideBar} onSearch={palette.open} />
      {sideBar.isOpen && (
        <Suspense fallback={null}>
          <SideBar user={user} isOver={sideBar.isSmall} onLeave={sideBar.giveWay} />
        </Suspense>
      )}
      <div className={classes.desk} data-beside={sideBar.isOpen && !sideBar.isSmall}>
        <Content isSignedIn>{children}</Content>
      </div>
      {palette.isOpen && (
        <Suspense fallback={null}>
          <Palette user={user} onClose={palette.close} />
        </Suspense>
      )}
    </>
  );
}

function Content({ isSignedIn, children }: { isSignedIn: boolean; children: ReactNode }) {
  return (
    <>
      <Banners isSignedIn={isSignedIn} />
      <main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </main>
    </>
  );
}
