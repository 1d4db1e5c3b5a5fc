import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { browserClock } from '../base/clock.ts';
import { importUntilLoaded } from './import-until-loaded.ts';
import { pageVersion } from './page-version.ts';

/**
 * A component that is loaded when it is first rendered, again until it succeeds. With `lazy` alone, one request that
 * fails, for example because the server is restarting, takes down the screen around the component.
 */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await importUntilLoaded(load, browserClock, pageVersion) }));
}

/** Between two requests for a style sheet that can't be loaded. */
const styleEveryMs = 2_000;

/**
 * Requests style sheets that failed to load until they are loaded, or the server has another version of the page. The build's `import` requests each only once, so that a
 * part whose script is loaded again would be without its style.
 */
export function loadFailedStyles(page: Document): void {
  // An error of an element doesn't bubble.
  page.addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      browserClock.after(styleEveryMs, () => {
        void pageVersion.check().then((isReplaced) => isReplaced || target.replaceWith(target.cloneNode()));
      });
    },
    true,
  );
}
