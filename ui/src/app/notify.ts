import { notifications } from '@mantine/notifications';
import { pageTimes } from '@vidette/contract/constants';

// The page's two kinds of notification [R8.10]. Screens say what happened; how long it stays is decided here.

/** Something was done: plain, closable, three seconds. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'green', autoClose: pageTimes.successMs, role: 'status' });
}

/** Something failed: what was tried as the title, why as the message. */
export function notifyError(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: pageTimes.errorMs, role: 'alert' });
}
