import { useEffect, useLayoutEffect } from 'react';
import { useSettings } from '../api/session.ts';

/** Puts the page's name into the document's title: "Streams – Vidette" [R1.5]. */
function documentTitle(name: string, appTitle: string): string {
  return name === '' ? appTitle : `${name} – ${appTitle}`;
}

/**
 * For the shell: the route's title until its screen sets a more specific one. A layout effect, so that a
 * screen's own `usePageTitle`, which runs after it, wins.
 */
export function useRouteTitle(name: string, href: string): void {
  const { appTitle } = useSettings();
  useLayoutEffect(() => {
    document.title = documentTitle(name, appTitle);
  }, [name, href, appTitle]);
}

/** For a screen about one thing: puts the thing's name into the title once it is known. */
export function usePageTitle(name: string | undefined): void {
  const { appTitle } = useSettings();
  useEffect(() => {
    if (name !== undefined) document.title = documentTitle(name, appTitle);
  }, [name, appTitle]);
}
