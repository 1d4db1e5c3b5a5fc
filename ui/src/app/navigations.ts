import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { settingsQuery } from '../api/session.ts';

/** After each navigation: the settings are asked for again [R2.20], and the page stands at its top [R2.22]. */
export function followNavigations(router: AnyRouter, queryClient: QueryClient): void {
  router.subscribe('onBeforeLoad', ({ pathChanged }) => {
    if (pathChanged) void queryClient.prefetchQuery({ ...settingsQuery, staleTime: 0 });
  });
  router.subscribe('onResolved', ({ pathChanged }) => {
    if (pathChanged && window.scrollY > 0) window.scrollTo({ top: 0 });
  });
}
