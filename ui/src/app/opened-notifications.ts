import type { OpenRequest } from '../offline/push.ts';

/** Follows the notifications that the user clicks while the page is open. `open` gets a path of the page. */
export function followOpenedNotifications(page: Window, open: (path: string) => void): void {
  if (!('serviceWorker' in page.navigator)) return;
  page.navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isOpenRequest(data)) open(data.path);
  });
}

function isOpenRequest(data: unknown): data is OpenRequest {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'open-notification';
}
