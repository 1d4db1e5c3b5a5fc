import type { PushMessage } from '@vidette/contract/notifications';
import {
  pushCacheName,
  renewPush,
  syncPush,
  type RenewalScope,
  type SubscriptionChange,
} from './push-renewal.ts';
import { openPush, showPush, type PushScope } from './push.ts';

// The service worker: shows notifications, and lets the page open when the server is unreachable [R1.8]. Every request goes to the
// network as if there were no worker. Only when a whole page can't be fetched does it answer, with the offline
// page cached at installation: a few kilobytes without user data. It never caches an answer of a call, an image
// or a screen, so that none can be stale or seen by the next user.

/** Filled in by the build: the offline page and its files, and a name that changes when any of them does. */
declare const OFFLINE_FILES: readonly [page: string, ...files: string[]];
declare const OFFLINE_VERSION: string;

/** An event that keeps the worker alive until its work is done. */
interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface RequestEvent extends LifeEvent {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

interface PushReceived extends LifeEvent {
  readonly data: { json(): unknown } | null;
}

interface NotificationClicked extends LifeEvent {
  readonly notification: Notification;
}

/**
 * The part of ServiceWorkerGlobalScope used here; the type library has either the page's scope or the worker's.
 */
interface WorkerScope extends PushScope, RenewalScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: PushScope['clients'] & { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushReceived) => void): void;
  addEventListener(
    type: 'pushsubscriptionchange',
    listener: (event: LifeEvent & SubscriptionChange) => void,
  ): void;
  addEventListener(type: 'notificationclick', listener: (event: NotificationClicked) => void): void;
}

const [offlinePage, ...otherFiles] = OFFLINE_FILES;
const offlineFiles = [offlinePage, ...otherFiles];
const scope = globalThis as unknown as WorkerScope;
const cacheName = `offline-${OFFLINE_VERSION}`;
/** A server that doesn't answer within this time counts as unreachable. */
const patienceMs = 20_000;

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.mode === 'navigate') {
    // Viewers of a public link install nothing.
    if (pathname.startsWith('/ui/share/')) return;
    event.respondWith(page(event));
    event.waitUntil(syncQuietly());
  } else if (offlineFiles.includes(pathname)) event.respondWith(offlineFile(event.request, pathname));
});
scope.addEventListener('push', (event) => {
  // Only this server can encrypt a message for this browser.
  if (event.data) event.waitUntil(showPush(scope, event.data.json() as PushMessage, Date.now()));
  event.waitUntil(syncQuietly());
});
scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewPush(scope, event)));
scope.addEventListener('notificationclick', (event) => event.waitUntil(openPush(scope, event.notification)));

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  // `reload`: bypasses the browser's own cache, which may contain the page of the previous version.
  await cache.addAll(offlineFiles.map((file) => new Request(file, { cache: 'reload' })));
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  for (const name of await caches.keys())
    if (name !== cacheName && name !== pushCacheName) await caches.delete(name);
  await scope.registration.navigationPreload.enable();
  await scope.clients.claim();
}

/**
 * The page from the server, or the offline page if the server is unreachable or only a proxy answers for it.
 */
async function page(event: RequestEvent): Promise<Response> {
  let answer: Response | undefined;
  try {
    answer = await Promise.race([fromServer(event), silence()]);
  } catch {
    // Whatever the network error: the page says that the server does not answer, and retries.
  }
  if (answer && !isProxysWord(answer.status)) return answer;
  return (await caches.match(offlinePage)) ?? answer ?? Response.error();
}

async function fromServer(event: RequestEvent): Promise<Response> {
  return (await event.preloadResponse) ?? (await fetch(event.request));
}

/** Concerns neither the page nor the notification. */
async function syncQuietly(): Promise<void> {
  try {
    await syncPush(scope);
  } catch {
    // Whatever browser or network threw: the next page or notification tries again.
  }
}

function silence(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, patienceMs));
}

/** Bad Gateway, Service Unavailable, Gateway Timeout. */
function isProxysWord(status: number): boolean {
  return status >= 502 && status <= 504;
}

async function offlineFile(request: Request, pathname: string): Promise<Response> {
  return (await caches.match(pathname)) ?? fetch(request);
}
