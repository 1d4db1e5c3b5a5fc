import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { User } from '@vidette/contract/entities';
import { useBlockUser, userQuery } from '../../api/people.ts';
import { useUser } from '../../api/session.ts';
import { wordsOf } from '../../app/failures.ts';
import { notifySuccess } from '../../app/notify.ts';
import { usePageTitle } from '../../app/title.ts';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './user.module.css';

/** The pages about one user [R2.7]: who it is, whether they are shut out, and the tabs. */
export function UserPage() {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const { data: user, error, refetch } = useQuery(userQuery(login));
  usePageTitle(user?.name);
  if (!user && error) return <FailedState text={wordsOf(error, i18n)} onRetry={() => void refetch()} />;
  if (!user) {
    return (
      <Delayed>
        <Skeleton height={32} width={260} mb={16} />
        <Skeleton height={280} />
      </Delayed>
    );
  }
  return (
    <div className={classes.page}>
      <PageBar
        title={user.fullName || user.name}
        aside={user.isBlocked && <span className={classes.blocked}>{i18n.t('user.blocked')}</span>}
        actions={<BlockButton user={user} />}
        tabsLabel={i18n.t('nav.tabs')}
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
      />
      <Outlet />
    </div>
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
