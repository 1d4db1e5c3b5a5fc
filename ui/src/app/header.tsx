import { Button, Menu, UnstyledButton } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { Link, useNavigate } from '@tanstack/react-router';
import type { User } from '@vidette/contract/entities';
import { mayAddStreams, useSettings, useSignOut } from '../api/session.ts';
import { Logo } from '../components/logo.tsx';
import { useI18n } from '../i18n/i18n-context.tsx';
import { clearDestination } from './destination.ts';
import { hasServerSwitcher, switchServer } from './host-app.ts';
import classes from './header.module.css';

/** The bar at the top: where one can go, and the menu of who is signed in [R2.24, R2.25]. */
export function Header({ user }: { user: User }) {
  const i18n = useI18n();
  const settings = useSettings();
  return (
    <header className={classes.header}>
      <Link to="/streams" className={classes.home} aria-label={settings.appTitle}>
        <Logo appTitle={settings.appTitle} appLogo={settings.appLogo} />
      </Link>
      <nav aria-label={i18n.t('nav.main')} className={classes.nav}>
        <Link to="/streams" className={classes.link}>
          {i18n.t('nav.allStreams')}
        </Link>
      </nav>
      {mayAddStreams(user) && (
        <Button
          component={Link}
          to="/add-stream"
          size="sm"
          variant="default"
          className={classes.add}
          leftSection={<IconPlus size={16} aria-hidden="true" />}
          aria-label={i18n.t('nav.addStream')}
        >
          <span className={classes.addText}>{i18n.t('nav.addStream')}</span>
        </Button>
      )}
      <UserMenu user={user} />
    </header>
  );
}

function UserMenu({ user }: { user: User }) {
  const i18n = useI18n();
  const { isEnterprise, site, documentation } = useSettings();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const leave = async () => {
    await signOut();
    clearDestination(sessionStorage);
    await navigate({ to: '/auth' });
  };
  return (
    <Menu position="bottom-end" width={230} shadow="none">
      <Menu.Target>
        <UnstyledButton className={classes.user} aria-label={i18n.t('menu.open', { name: user.name })}>
          <span className={classes.avatar} aria-hidden="true">
            {user.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.userName}>{user.name}</span>
          <IconChevronDown size={14} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile/me/info">
          {i18n.t('menu.profile')}
        </Menu.Item>
        <Menu.Item component={Link} to="/settings">
          {i18n.t('menu.settings')}
        </Menu.Item>
        {user.isAdmin && (
          <Menu.Item component={Link} to="/administration/stats">
            {i18n.t('menu.administration')}
          </Menu.Item>
        )}
        {hasServerSwitcher(sessionStorage) && (
          <Menu.Item onClick={() => switchServer(window)}>{i18n.t('menu.switchServer')}</Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item component={Link} to="/help">
          {i18n.t('menu.help')}
        </Menu.Item>
        {documentation && <OutsideItem href={documentation} label={i18n.t('menu.documentation')} />}
        {user.isAdmin && (
          <Menu.Item component={Link} to="/swagger">
            {i18n.t('menu.apiDocumentation')}
          </Menu.Item>
        )}
        {!isEnterprise && site && <OutsideItem href={site} label={i18n.t('menu.moreFeatures')} />}
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>{i18n.t('menu.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function OutsideItem({ href, label }: { href: string; label: string }) {
  return (
    <Menu.Item
      component="a"
      href={href}
      target="_blank"
      rel="noreferrer"
      rightSection={<IconExternalLink size={14} aria-hidden="true" />}
    >
      {label}
    </Menu.Item>
  );
}
