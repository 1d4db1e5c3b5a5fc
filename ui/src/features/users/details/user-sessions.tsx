import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '@vidette/contract/entities';
import { useEndUserSession, userSessionsQuery } from '../users-api.ts';
import { textOf } from '../../../page/failures.ts';
import { notifyDone } from '../../../page/notify.ts';
import { Delayed } from '../../../components/delayed.tsx';
import { FailedState } from '../../../components/failed-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { SessionItem, SessionList } from '../../account/profile/session-item.tsx';
import { useParams } from '../../../routing/react/router-context.tsx';
import classes from './user.module.css';

/** A user's sessions, and ending them. */
export function UserSessionsScreen() {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const { data, error, refetch } = useQuery(userSessionsQuery(login));
  if (!data && error) return <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Delayed>
        <Skeleton height={120} radius={10} />
      </Delayed>
    );
  }
  if (data.items.length === 0) return <p className={classes.text}>{i18n.t('user.sessions.empty')}</p>;
  return (
    <SessionList>
      {data.items.map((session) => (
        <UserSession key={session.id} login={login} session={session} />
      ))}
    </SessionList>
  );
}

function UserSession({ login, session }: { login: string; session: Session }) {
  const i18n = useI18n();
  const end = useEndUserSession(login);
  return (
    <SessionItem
      session={session}
      isEnding={end.isPending}
      onEnd={() => notifyDone(end.mutateAsync(session.id), i18n.t('sessions.ended'))}
    />
  );
}
