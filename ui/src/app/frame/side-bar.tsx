import { useQuery } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import { useEffect, useRef, type RefObject } from 'react';
import { journalSummaryQuery } from '../../api/journal-summary.ts';
import { useSettings } from '../../api/session.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import { Link } from '../../routing/react/link.tsx';
import { useRouteLocation } from '../../routing/react/router-context.tsx';
import { destinationsOf, holdsScreen, type Destination } from './destinations.ts';
import classes from './side-bar.module.css';

const groups: readonly { readonly id: Destination['group']; readonly name: MessageKey }[] = [
  { id: 'watch', name: 'side.watch' },
  { id: 'own', name: 'side.own' },
  { id: 'administration', name: 'menu.administration' },
];

interface SideBarProps {
  readonly user: User;
  /** Over the screen rather than next to it. */
  readonly isOver: boolean;
  readonly onLeave: () => void;
}

/**
 * All destinations, at the side of the screen; on a small screen it closes as soon as the user does anything
 * else.
 */
export function SideBar({ user, isOver, onLeave }: SideBarProps) {
  const i18n = useI18n();
  const bar = useRef<HTMLElement>(null);
  const places = destinationsOf(user);
  const { isLicenseExpired } = useSettings();
  const location = useRouteLocation();

  useDismissal(bar, isOver, onLeave);

  return (
    <>
      {isOver && <div className={classes.veil} />}
      <nav ref={bar} id="side-bar" className={classes.bar} aria-label={i18n.t('side.label')}>
        {groups.map(({ id, name }) => {
          const own = places.filter(({ group }) => group === id);
          if (own.length === 0) return null;
          return (
            <section key={id} className={classes.group} aria-labelledby={`side-${id}`}>
              <div id={`side-${id}`} className={classes.groupName}>
                {i18n.t(name)}
              </div>
              {own.map((place) =>
                place.to === '/add-stream' && isLicenseExpired ? (
                  <span
                    key={place.to}
                    className={classes.link}
                    aria-disabled="true"
                    title={i18n.t('nav.addStream.license')}
                  >
                    {i18n.t(place.name)}
                  </span>
                ) : (
                  <Link
                    key={place.to}
                    to={place.to}
                    className={classes.link}
                    holdsCurrent={holdsScreen(place, location.name)}
                    onClick={onLeave}
                  >
                    {i18n.t(place.name)}
                    {place.to === '/events' && <EventsBadge />}
                  </Link>
                ),
              )}
            </section>
          );
        })}
      </nav>
    </>
  );
}

/** The number of events to review; nothing while there are none. */
function EventsBadge() {
  const i18n = useI18n();
  const { data } = useQuery(journalSummaryQuery);
  if (!data || data.unreviewed === 0) return null;
  const count = i18n.number(data.unreviewed);
  return (
    <span className={classes.badge}>
      <span aria-hidden="true">{data.isMore ? `${count}+` : count}</span>
      <span className="visually-hidden">{i18n.t('nav.events.unreviewed', { count: data.unreviewed })}</span>
    </span>
  );
}

/**
 * While the bar is over the screen: moves the focus into it, and calls `onLeave` on a click outside and on Escape,
 * which also returns the focus.
 */
function useDismissal(bar: RefObject<HTMLElement | null>, isOver: boolean, onLeave: () => void): void {
  useEffect(() => {
    if (!isOver) return;
    const opener = document.activeElement;
    bar.current?.querySelector('a')?.focus();
    const onClick = ({ target }: MouseEvent) => {
      // The button that opened it also closes it.
      const isOutside = target instanceof Element && !target.closest('#side-bar, [aria-controls=side-bar]');
      if (isOutside) onLeave();
    };
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      onLeave();
      if (opener instanceof HTMLElement) opener.focus();
    };
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, [bar, isOver, onLeave]);
}
