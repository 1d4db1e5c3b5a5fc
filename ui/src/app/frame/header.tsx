import { Button } from '@mantine/core';
import IconMenu2 from '@tabler/icons-react/dist/esm/icons/IconMenu2.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import type { User } from '@vidette/contract/entities';
import { Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api/health.ts';
import { mayAddStreams, useSettings } from '../../api/session.ts';
import { Late } from './late.tsx';
import { Logo } from '../../components/logo.tsx';
import { Tip } from '../../components/tip.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './header.module.css';
import type { SideBarState } from './use-side-bar.ts';
import { UserButton } from './user-button.tsx';
import { lazyPart } from '../../page/lazy-part.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

// The menu loads a library of floating boxes; the first frame must not wait for it.
const importMenu = () => import('./user-menu.tsx');
const UserMenu = lazyPart(async () => (await importMenu()).UserMenu);

interface HeaderProps {
  readonly user: User;
  readonly sideBar: SideBarState;
  readonly onSearch: () => void;
}

/** The bar at the top: destinations, and the menu of the signed-in user [R2.24, R2.25]. */
export function Header({ user, sideBar, onSearch }: HeaderProps) {
  const i18n = useI18n();
  const settings = useSettings();
  return (
    <header className={classes.header}>
      <button
        type="button"
        className={classes.sign}
        aria-label={i18n.t('nav.sideBar')}
        aria-expanded={sideBar.isOpen}
        aria-controls="side-bar"
        onClick={sideBar.toggle}
      >
        <IconMenu2 size={18} stroke={1.6} aria-hidden="true" />
      </button>
      <Link to="/streams" className={classes.home} aria-label={settings.appTitle}>
        <Logo appTitle={settings.appTitle} appLogo={settings.appLogo} />
      </Link>
      <nav aria-label={i18n.t('nav.main')} className={classes.nav}>
        <Link to="/streams" className={classes.link}>
          {i18n.t('nav.allStreams')}
        </Link>
        <Link to="/mosaics" className={classes.link} data-wide="true">
          {i18n.t('title.mosaics')}
        </Link>
      </nav>
      <button
        type="button"
        className={classes.search}
        aria-label={i18n.t('nav.search')}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onSearch}
      >
        <IconSearch size={16} aria-hidden="true" />
        <span className={classes.searchText}>{i18n.t('nav.search')}</span>
        <span className={classes.keys} data-keys={isApple ? '⌘K' : 'Ctrl K'} aria-hidden="true" />
      </button>
      <Health />
      {mayAddStreams(user) && <AddButton isLicensed={!settings.isLicenseExpired} />}
      <LazyUserMenu user={user} />
    </header>
  );
}

const loadIndicator = async () => (await import('./health-indicator.tsx')).HealthIndicator;

/** Most servers have no problem: nothing of the indicator is fetched before there is one. */
function Health() {
  const { data } = useQuery(healthQuery);
  const isWanted = (data?.warnings.length ?? 0) > 0;
  return <Late isWanted={isWanted} load={loadIndicator} />;
}

/** The button that adds a stream; without a license it is disabled and says why. */
function AddButton({ isLicensed }: { isLicensed: boolean }) {
  const i18n = useI18n();
  const label = i18n.t('nav.addStream');
  const look = {
    size: 'sm',
    variant: 'default',
    className: classes.add,
    leftSection: <IconPlus size={16} aria-hidden="true" />,
  } as const;
  const text = <span className={classes.addText}>{label}</span>;
  if (isLicensed)
    return (
      <Button component={Link} to="/add-stream" aria-label={label} {...look}>
        {text}
      </Button>
    );
  const reason = i18n.t('nav.addStream.license');
  return (
    <Tip align="end" label={reason}>
      <Button data-disabled aria-disabled="true" aria-label={`${label}. ${reason}`} {...look}>
        {text}
      </Button>
    </Tip>
  );
}

/** Fetches the menu when the user points at or focuses its button, then opens it. */
function LazyUserMenu({ user }: { user: User }) {
  const [isAsked, setAsked] = useState(false);
  const button = (
    <UserButton
      user={user}
      onPointerEnter={() => void importMenu()}
      onFocus={() => void importMenu()}
      onClick={() => setAsked(true)}
    />
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <UserMenu user={user} />
    </Suspense>
  );
}
