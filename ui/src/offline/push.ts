import type { PushMessage } from '@vidette/contract/notifications';

// Notifications of the service worker: shows what the server sends, and opens the moment that it is about.

/** The part of ServiceWorkerGlobalScope used here. */
export interface PushScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: { readonly origin: string };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly PushWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
}

interface PushWindow {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

/** What the page receives when a notification is clicked. */
export interface OpenRequest {
  readonly type: 'open-notification';
  /** In this page, as in `/ui/stream/k3m9x2q7w5ab/view?t=1795255200000`. */
  readonly path: string;
}

/** The type library describes only what all browsers know. */
interface PushOptions extends NotificationOptions {
  readonly image?: string;
  readonly timestamp?: number;
  readonly renotify: boolean;
}

/** An event that began longer ago is shown with its day. */
const sameDayMs = 12 * 3_600_000;

/** Shows a notification. One with the same tag is replaced, so that a burst is one notification. */
export function showPush({ registration }: PushScope, message: PushMessage, nowMs: number): Promise<void> {
  const { title, body, language, timeMs, tag, path, image } = message;
  const options: PushOptions = {
    body: timeMs === null ? body : `${timeText(timeMs, nowMs, language)}\n${body}`,
    lang: language,
    icon: '/ui/icon-192.png',
    badge: '/ui/icon-192.png',
    tag,
    renotify: true,
    data: path,
    ...(image !== null && { image }),
    ...(timeMs !== null && { timestamp: timeMs }),
  };
  return registration.showNotification(title, options);
}

/** In the zone of the device. */
function timeText(timeMs: number, nowMs: number, language: string): string {
  const format = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    timeStyle: 'medium',
    ...(nowMs - timeMs > sameDayMs && { dateStyle: 'medium' }),
  });
  return format.format(timeMs);
}

/** Opens the moment: in the page if it is open, which keeps what is entered there, otherwise in a new window. */
export async function openPush(scope: PushScope, notification: Notification): Promise<void> {
  notification.close();
  const path: unknown = notification.data;
  if (typeof path !== 'string') return;
  const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = windows.find(({ url }) => isApplication(new URL(url), scope.location.origin));
  if (!page) {
    await scope.clients.openWindow(new URL(path, scope.location.origin).href);
    return;
  }
  page.postMessage({ type: 'open-notification', path } satisfies OpenRequest);
  await page.focus();
}

/** Not the page of a public link, and not the offline page. */
function isApplication({ origin, pathname }: URL, own: string): boolean {
  const isOther = pathname.startsWith('/ui/share/') || pathname === '/ui/offline.html';
  return origin === own && pathname.startsWith('/ui/') && !isOther;
}
