import type { NotificationData } from '@mantine/notifications';
import { pageTimes } from '@vidette/contract/constants';

// The page's two kinds of notification [R8.10]. Screens say what happened; how long it stays is decided here.
// The library behind them is fetched for the first one, after the first screen has been drawn.

const listeners = new Set<() => void>();
let isWanted = false;

/** Whether anything was ever to be shown, for the host that draws notifications. */
export const notificationsWanted = {
  get: (): boolean => isWanted,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Something was done: plain, closable, three seconds. */
export function notifySuccess(message: string): void {
  void show({ message, color: 'green', autoClose: pageTimes.successMs, role: 'status' });
}

/** Something failed: what was tried as the title, why as the message. */
export function notifyError(title: string, message: string): void {
  void show({ title, message, color: 'red', autoClose: pageTimes.errorMs, role: 'alert' });
}

async function show(shown: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await import('@mantine/notifications');
  notifications.show(shown);
}
