import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import type { ReactNode } from 'react';
import { useBlockUser, userQuery } from '../users-api.ts';
import { useUser } from '../../../api/session.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { usePageTitle } from '../../../page/title.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { TabbedPage } from '../../../components/tabbed-page.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { useParams } from '../../../routing/react/router-context.tsx';
import classes from './user.module.css';

/** The pages about one user [R2.7]: their name, whether they are blocked, and the tabs. */
export function UserPage({ children }: { children: ReactNode }) {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const query = useQuery(userQuery(login));
  usePageTitle(query.data?.name);
  return (
    <Loaded query={query} skeletonPx={280}>
      {(user) => (
        <TabbedPage
          isNarrow
          title={user.fullName || user.name}
          aside={user.isBlocked && <span className={classes.blocked}>{i18n.t('user.blocked')}</span>}
          actions={<BlockButton user={user} />}
          tabs={
            <>
              <Link to="/user/$login/info" params={{ login }}>
                {i18n.t('tab.info')}
              </Link>
              <Link to="/user/$login/edit" params={{ login }}>
                {i18n.t('tab.edit')}
              </Link>
              <Link to="/user/$login/permission" params={{ login }}>
                {i18n.t('tab.permission')}
              </Link>
              <Link to="/user/$login/sessions" params={{ login }}>
                {i18n.t('tab.sessions')}
              </Link>
            </>
          }
        >
          {children}
        </TabbedPage>
      )}
    </Loaded>
  );
}

function BlockButton({ user: { name, isBlocked } }: { user: User }) {
  const i18n = useI18n();
  const self = useUser();
  const block = useBlockUser(name);
  if (self?.name === name) return null;
  return (
    <Button
      size="sm"
      variant="default"
      loading={block.isPending}
      onClick={() =>
        block.mutate(!isBlocked, {
          onSuccess: () =>
            notifySuccess(i18n.t(isBlocked ? 'user.unblocked.done' : 'user.blocked.done', { name })),
        })
      }
    >
      {i18n.t(isBlocked ? 'user.unblock' : 'user.block')}
    </Button>
  );
}
