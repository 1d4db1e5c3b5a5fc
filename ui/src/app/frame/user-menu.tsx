import { Menu } from '@mantine/core';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import type { User } from '@vidette/contract/entities';
import { useSettings } from '../../api/session.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { guideAddress } from '../../components/guide-link.tsx';
import { Link } from '../../routing/react/link.tsx';
import { hasServerSwitcher, switchServer } from '../../page/host-app.ts';
import { useLeave } from './leave.ts';
import { UserButton } from './user-button.tsx';

/** The menu of the signed-in user [R2.24]. Its code is prefetched, so it opens immediately. */
export function UserMenu({ user }: { user: User }) {
  const i18n = useI18n();
  const { documentation } = useSettings();
  const leave = useLeave();
  return (
    <Menu
      position="bottom-end"
      width="17rem"
      shadow="none"
      defaultOpened
      // Between the menu and its items there may be nothing else.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UserButton user={user} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile/me/info">
          {i18n.t('menu.profile')}
        </Menu.Item>
        <Menu.Item component={Link} to="/bookmarks">
          {i18n.t('title.bookmarks')}
        </Menu.Item>
        <Menu.Item component={Link} to="/exports">
          {i18n.t('title.exports')}
        </Menu.Item>
        <Menu.Item component={Link} to="/notifications">
          {i18n.t('title.notifications')}
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
        <OutsideItem href={guideAddress('index')} label={i18n.t('menu.guide')} />
        {documentation && <OutsideItem href={documentation} label={i18n.t('menu.documentation')} />}
        {user.isAdmin && (
          <Menu.Item component={Link} to="/swagger">
            {i18n.t('menu.apiDocumentation')}
          </Menu.Item>
        )}
        <MoreFeatures user={user} />
        <Menu.Divider />
        <Menu.Item onClick={leave}>{i18n.t('menu.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where to learn what a license adds, while there is none. */
function MoreFeatures({ user }: { user: User }) {
  const i18n = useI18n();
  const { isEnterprise, site } = useSettings();
  if (isEnterprise) return null;
  if (site) return <OutsideItem href={site} label={i18n.t('menu.moreFeatures')} />;
  if (!user.isAdmin) return null;
  return (
    <Menu.Item component={Link} to="/license">
      {i18n.t('menu.moreFeatures')}
    </Menu.Item>
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
