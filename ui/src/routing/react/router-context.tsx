import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import type { LinkName, ParamsOf, SearchOf } from '../addresses.ts';
import type { RouteLocation } from '../location.ts';
import type { Arrival, Router } from '../router.ts';

const RouterContext = createContext<Router | undefined>(undefined);

/** Hands the router to everything below it. */
export function RouterProvider({ router, children }: { router: Router; children: ReactNode }) {
  return <RouterContext value={router}>{children}</RouterContext>;
}

/** The page's router. */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error('Nothing above provides a router');
  return router;
}

/** The place that is on screen. */
export function useRouteLocation(): RouteLocation {
  const router = useRouter();
  return useSyncExternalStore(router.subscribe, () => router.get().location);
}

/** How the place on screen was reached. */
export function useArrival(): Arrival {
  const router = useRouter();
  return useSyncExternalStore(router.subscribe, () => router.get().arrival);
}

/** Returns how to go somewhere; the promise resolves once it is on screen. */
export function useNavigate(): Router['navigate'] {
  return useRouter().navigate;
}

/** The open parts of the address that is on screen, which has to be the one that is named or one below it. */
export function useParams<Name extends LinkName>(_address: { from: Name }): ParamsOf<Name> {
  return useRouteLocation().params as ParamsOf<Name>;
}

/** What stands behind the question mark of the address that is on screen, which has to be the one that is named. */
export function useSearch<Name extends LinkName>(_address: { from: Name }): SearchOf<Name> {
  return useRouteLocation().search as SearchOf<Name>;
}
