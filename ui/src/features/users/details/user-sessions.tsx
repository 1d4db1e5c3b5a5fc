import { useQuery } from '@tanstack/react-query';
import type { Session } from '@vidette/contract/entities';
import { useEndUserSession, userSessionsQuery } from '../users-api.ts';
import { notifyDone } from '../../../page/notify.ts';
import { ItemList } from '../../../components/item-list.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { SessionItem } from '../../account/profile/session-item.tsx';
import { useParams } from '../../../routing/react/router-context.tsx';
import classes from './user.module.css';

/** A user's sessions, and ending them. */
export function UserSessionsScreen() {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const query = useQuery(userSessionsQuery(login));
  return (
    <Loaded query={query} skeletonPx={120}>
      {({ items }) =>
        items.length === 0 ? (
          <p className={classes.text}>{i18n.t('user.sessions.empty')}</p>
        ) : (
          <ItemList>
            {items.map((session) => (
              <UserSession key={session.id} login={login} session={session} />
            ))}
          </ItemList>
        )
      }
    </Loaded>
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
