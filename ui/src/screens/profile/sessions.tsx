import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '@vidette/contract/entities';
import { sessionsQuery, useEndOtherSessions, useEndSession } from '../../api/account.ts';
import { notifySuccess } from '../../app/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { programOf } from './user-agent.ts';
import classes from './profile.module.css';

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
            <SessionItem key={session.id} session={session} />
          ))}
        </ul>
      )}
    </>
  );
}

function SessionItem({ session }: { session: Session }) {
  const i18n = useI18n();
  const end = useEndSession();
  const program = programOf(session.userAgent) ?? i18n.t('sessions.unknownBrowser');
  const lastSeen = session.isCurrent
    ? i18n.t('sessions.current')
    : i18n.t('sessions.lastSeen', { time: i18n.dateTime(session.lastSeenTime) });
  return (
    <li className={classes.item}>
      <div className={classes.itemText}>
        <div className={classes.itemName}>{program}</div>
        <div className={classes.itemNote}>
          {lastSeen} · {session.ip}
        </div>
      </div>
      {!session.isCurrent && (
        <Button
          size="sm"
          variant="default"
          loading={end.isPending}
          onClick={() => end.mutate(session.id, { onSuccess: () => notifySuccess(i18n.t('sessions.ended')) })}
        >
          {i18n.t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
