import { lazy, Suspense, useSyncExternalStore } from 'react';
import { notificationsWanted } from './notify.ts';

const Notifications = lazy(async () => ({
  default: (await import('@mantine/notifications')).Notifications,
}));

/** Under the header and the row of a screen's actions, which somebody may want to press again. */
const BELOW_ACTIONS_PX = 112;

/** Where notifications appear: top right, fetched when there is a first one. */
export function NotificationsHost() {
  const isWanted = useSyncExternalStore(notificationsWanted.subscribe, notificationsWanted.get);
  return (
    isWanted && (
      <Suspense fallback={null}>
        <Notifications position="top-right" limit={4} styles={{ root: { top: BELOW_ACTIONS_PX } }} />
      </Suspense>
    )
  );
}
