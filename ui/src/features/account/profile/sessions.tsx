import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '@vidette/contract/entities';
import { useState } from 'react';
import { sessionsQuery, useEndSession } from '../account-api.ts';
import { notifyDone } from '../../../page/notify.ts';
import { ItemList } from '../../../components/item-list.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { EndSessionsDialog } from './end-sessions-dialog.tsx';
import classes from './profile.module.css';
import { SessionItem } from './session-item.tsx';

/** The user's own sessions, and ending them. */
export function SessionsScreen() {
  const i18n = useI18n();
  const { data } = useQuery(sessionsQuery);
  const [isAsking, setAsking] = useState(false);
  const sessions = data?.items ?? [];
  return (
    <>
      <div className={classes.bar}>
        <h2>{i18n.t('sessions.title')}</h2>
        {sessions.length > 0 && (
          <Button size="sm" variant="default" onClick={() => setAsking(true)}>
            {i18n.t('sessions.endAll')}
          </Button>
        )}
        {isAsking && <EndSessionsDialog onClose={() => setAsking(false)} />}
      </div>
      {data && (
        <ItemList>
          {sessions.map((session) => (
            <OwnSession key={session.id} session={session} />
          ))}
        </ItemList>
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
      onEnd={() => notifyDone(end.mutateAsync(session.id), i18n.t('sessions.ended'))}
    />
  );
}
