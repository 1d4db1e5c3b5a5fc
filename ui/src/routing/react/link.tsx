import type { ComponentProps, MouseEvent } from 'react';
import type { LinkDestination, NavigateOptions } from '../addresses.ts';
import { hrefOf, leadsTo } from '../location.ts';
import { useRouteLocation, useRouter } from './router-context.tsx';

type LinkProps = Omit<ComponentProps<'a'>, 'href'> &
  LinkDestination & {
    /** Replaces the current history entry. */
    readonly replace?: boolean;
    /** The current location belongs to the target without lying below it: marked as current too. */
    readonly holdsCurrent?: boolean;
  };

/**
 * A link within the page. It prefetches its target on hover, and the link to the current location or one of its
 * parents is marked as current.
 */
export function Link({
  to,
  params,
  search,
  replace = false,
  holdsCurrent = false,
  children,
  ...rest
}: LinkProps) {
  const router = useRouter();
  const location = useRouteLocation();
  const target = { to, params, search };
  const { onClick, onPointerEnter, onFocus, onTouchStart } = rest;
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlain(event)) return;
    event.preventDefault();
    void router.navigate({ ...target, replace } as NavigateOptions);
  };
  return (
    <a
      {...rest}
      href={hrefOf(target)}
      aria-current={leadsTo(target, location) ? 'page' : holdsCurrent ? 'true' : undefined}
      onClick={follow}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        router.preload(target);
      }}
      onFocus={(event) => {
        onFocus?.(event);
        router.preload(target);
      }}
      onTouchStart={(event) => {
        onTouchStart?.(event);
        router.preload(target);
      }}
    >
      {children}
    </a>
  );
}

/** With a modifier key or another button the browser's own behaviour applies, such as opening a tab. */
function isPlain(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { target } = event.currentTarget;
  return (
    event.button === 0 &&
    !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) &&
    (target === '' || target === '_self')
  );
}
