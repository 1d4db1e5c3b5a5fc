import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect } from '@tanstack/react-router';
import { settingsQuery, userOf } from '../api/session.ts';
import type { MessageKey } from '../i18n/i18n.ts';
import { keepDestination } from './destination.ts';
import { NotFoundScreen } from './fallback-screens.tsx';
import { Shell } from './shell.tsx';

/** What the router hands to every route. */
export interface RouterContext {
  readonly queryClient: QueryClient;
  /** Fetches the words that the first screens do without. */
  readonly learnWords: () => Promise<void>;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page's name in the document's title. */
    title?: MessageKey;
    /** Shown without anybody signed in, and without the header. */
    isPublic?: boolean;
    /** Who may see it; the server decides again for every call [R6.1, R6.2]. */
    audience?: 'admin' | 'creator';
  }
}

/** The shell around every screen, and who may pass on to it. */
export const root = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: NotFoundScreen,
  staticData: { title: 'title.notFound' },
  beforeLoad: ({ context, location, matches, preload }) => {
    const settings = context.queryClient.getQueryData(settingsQuery.queryKey);
    if (settings?.isLocked && location.pathname !== '/init')
      redirect({ throw: true, to: '/init', replace: true });
    const target = matches.at(-1);
    if (!target) return;
    const isUnknown = target.fullPath === '/' && location.pathname !== '/';
    if (isUnknown) return;
    if (!preload) {
      keepDestination(sessionStorage, {
        name: target.fullPath,
        params: target.params,
        search: target.search,
      });
    }
    if (userOf(context.queryClient)) return;
    if (!target.staticData.isPublic) redirect({ throw: true, to: '/auth', replace: true });
  },
});

/** For routes whose screens need more words than the first ones brought; they come beside the screen's script. */
export const loader = ({ context }: { context: RouterContext }) => context.learnWords();

/** A route directly below the shell. */
export const at = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });
