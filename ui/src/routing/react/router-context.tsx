import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import type { LinkName, ParamsOf, SearchOf } from '../addresses.ts';
import type { RouteLocation } from '../location.ts';
import type { Arrival, Router } from '../router.ts';

const RouterContext = createContext<Router | undefined>(undefined);

/** Provides the router to everything below it. */
export function RouterProvider({ router, children }: { router: Router; children: ReactNode }) {
  return <RouterContext value={router}>{children}</RouterContext>;
}

/** The page's router. */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error('useRouter needs a RouterProvider above it');
  return router;
}

/** The location on screen. */
export function useRouteLocation(): RouteLocation {
  const router = useRouter();
  return useSyncExternalStore(router.subscribe, () => router.get().location);
}

/** How the location on screen was reached. */
export function useArrival(): Arrival {
  const router = useRouter();
  return useSyncExternalStore(router.subscribe, () => router.get().arrival);
}

/** Returns the navigate function; its promise resolves once the target is on screen. */
export function useNavigate(): Router['navigate'] {
  return useRouter().navigate;
}

/** The parameters of the address on screen, which must be the named one or one below it. */
export function useParams<Name extends LinkName>(_address: { from: Name }): ParamsOf<Name> {
  return useRouteLocation().params as ParamsOf<Name>;
}

/** The search parameters of the address on screen, which must be the named one. */
export function useSearch<Name extends LinkName>(_address: { from: Name }): SearchOf<Name> {
  return useRouteLocation().search as SearchOf<Name>;
}
