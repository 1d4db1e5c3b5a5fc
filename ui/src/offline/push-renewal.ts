import type { RequestOf } from '@vidette/contract/client';
import type { routes } from '@vidette/contract/routes';

// Keeps the server's address of this browser's subscription current. The push service may replace a subscription at any time;
// not every browser tells, and a server that can't be reached then is told later: at the next page.

/** The part of ServiceWorkerGlobalScope used here. */
export interface RenewalScope {
  readonly registration: Pick<ServiceWorkerRegistration, 'pushManager'>;
  readonly caches: Pick<CacheStorage, 'open'>;
  readonly fetch: typeof fetch;
}

/** What a browser says when its push service has replaced the subscription. */
export interface SubscriptionChange {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
}

/** A subscription that the server knows. */
interface Known {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** The server's key, one number per byte. */
  readonly serverKey: readonly number[];
}

/** Not deleted with the files of an earlier version. */
export const pushCacheName = 'push-subscription';
const knownPath = '/ui/push-subscription';
/** Only its type is imported: the table of all calls would make the worker larger. */
const renewalPath: (typeof routes)['renewPushDevice']['path'] = '/v1/notification-push-device/renew';

/** The subscription ended: subscribes again and tells the server. @throws what browser and network throw */
export async function renewPush(scope: RenewalScope, change: SubscriptionChange): Promise<void> {
  const { pushManager } = scope.registration;
  const cache = await scope.caches.open(pushCacheName);
  if (change.oldSubscription && !(await cache.match(knownPath)))
    await remember(cache, knownOf(change.oldSubscription));
  const current = change.newSubscription ?? (await pushManager.getSubscription());
  if (!current) {
    const known = await recall(cache);
    // A subscription that was never used can't be renewed: the page offers to add the browser again.
    if (!known) return;
    const applicationServerKey = new Uint8Array(known.serverKey);
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  }
  await syncPush(scope);
}

/**
 * Tells the server if the subscription is no longer the one that it knows. The secrets of the old one prove that this
 * is the same browser, also when no user is signed in. @throws what browser and network throw
 */
export async function syncPush({ registration, caches, fetch }: RenewalScope): Promise<void> {
  const current = await registration.pushManager.getSubscription();
  if (!current) return;
  const cache = await caches.open(pushCacheName);
  const [old, known] = [await recall(cache), knownOf(current)];
  if (old?.endpoint === known.endpoint) return;
  if (old) {
    const body: RequestOf<'renewPushDevice'>['body'] = {
      oldEndpoint: old.endpoint,
      oldAuth: old.keys.auth,
      endpoint: known.endpoint,
      keys: known.keys,
    };
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(renewalPath, { method: 'POST', headers, body: JSON.stringify(body) });
    // Repeated later. A refusal is final: the browser was removed, or added under its new address.
    if (status === 429 || status >= 500) throw new Error(`The server answered ${status}`);
  }
  await remember(cache, known);
}

async function recall(cache: Cache): Promise<Known | undefined> {
  const stored = await cache.match(knownPath);
  return stored && ((await stored.json()) as Known);
}

function remember(cache: Cache, known: Known): Promise<void> {
  return cache.put(knownPath, new Response(JSON.stringify(known)));
}

function knownOf(subscription: PushSubscription): Known {
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {};
  const serverKey = [...new Uint8Array(subscription.options.applicationServerKey ?? new ArrayBuffer(0))];
  return { endpoint: subscription.endpoint, keys: { p256dh, auth }, serverKey };
}
