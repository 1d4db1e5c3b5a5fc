import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '@vidette/contract/entities';
import { sessionsQuery, useEndOtherSessions, useEndSession } from '../../api/account.ts';
import { notifySuccess } from '../../app/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './profile.module.css';
import { SessionItem } from './session-item.tsx';

/** Where one is signed in, and ending it. */
export function SessionsScreen() {
  const i18n = useI18n();
  const { data } = useQuery(sessionsQuery);
  const endOthers = useEndOtherSessions();
  const sessions = data?.items ?? [];
  return (
    <>
      <div className={classes.bar}>
        <h2>{i18n.t('sessions.title')}</h2>
        {sessions.length > 1 && (
          <Button
            size="sm"
            variant="default"
            loading={endOthers.isPending}
            onClick={() =>
              endOthers.mutate(undefined, { onSuccess: () => notifySuccess(i18n.t('sessions.allEnded')) })
            }
          >
            {i18n.t('sessions.endAll')}
          </Button>
        )}
      </div>
      {data && (
        <ul className={classes.items}>
          {sessions.map((session) => (
            <OwnSession key={session.id} session={session} />
          ))}
        </ul>
      )}
    </>
  );
}

function OwnSession({ session }: { session: Session }) {
  const i18n = useI18n();
  const end = useEndSession();
  return (
    <SessionItem
      session={session}
      isEnding={end.isPending}
      onEnd={() => end.mutate(session.id, { onSuccess: () => notifySuccess(i18n.t('sessions.ended')) })}
    />
  );
}
