import { lazy, Suspense, useSyncExternalStore } from 'react';
import classes from './notifications-host.module.css';
import { loadNotifications, notificationsWanted } from '../page/notify.ts';

const Notifications = lazy(async () => ({ default: (await loadNotifications()).Notifications }));

/** Where notifications appear: top right; loaded with the first one. */
export function NotificationsHost() {
  const isWanted = useSyncExternalStore(notificationsWanted.subscribe, notificationsWanted.get);
  return (
    isWanted && (
      <Suspense fallback={null}>
        <Notifications position="top-right" limit={4} className={classes.notifications} />
      </Suspense>
    )
  );
}
