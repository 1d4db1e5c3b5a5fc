import type { NotificationData } from '@mantine/notifications';
import { pageTimes } from '@vidette/contract/constants';
import { browserClock } from '../base/clock.ts';
import { importUntilLoaded } from './import-until-loaded.ts';
import { pageVersion } from './page-version.ts';

// The page's two kinds of notification [R8.10]. Screens supply the message; this module decides how long it is
// shown. The library behind them is loaded for the first notification, after the first screen has rendered.

const listeners = new Set<() => void>();
let isWanted = false;

/** Whether any notification was ever requested, for the host that renders them. */
export const notificationsWanted = {
  get: (): boolean => isWanted,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The library behind them. */
export const loadNotifications = () =>
  importUntilLoaded(() => import('@mantine/notifications'), browserClock, pageVersion);

/** Success: plain, closable, three seconds. */
export function notifySuccess(message: string): void {
  void show({ message, color: 'green', autoClose: pageTimes.successMs, role: 'status' });
}

/**
 * Success of a change that removes the row that requested it: callbacks of `mutate` are dropped when their component
 * is gone, which is a matter of milliseconds. Its failure is shown by the mutation cache.
 */
export function notifyDone(change: Promise<unknown>, message: string): void {
  void change.then(
    () => notifySuccess(message),
    () => undefined,
  );
}

/** Failure: the attempted action as the title, the reason as the message. */
export function notifyError(title: string, message: string): void {
  void show({ title, message, color: 'red', autoClose: pageTimes.errorMs, role: 'alert' });
}

async function show(shown: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await loadNotifications();
  notifications.show(shown);
}
