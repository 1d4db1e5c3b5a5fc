import type { TargetSettings } from '@vidette/contract/notifications';

// This browser as a target of notifications (Push API).

type PushSettings = Extract<TargetSettings, { type: 'push' }>;
export type PushDevice = Pick<PushSettings, 'endpoint' | 'keys'>;

/** Why this browser can't receive notifications. */
export type PushObstacle =
  /** Browsers allow it only over HTTPS. */
  | 'insecure'
  /** On an iPhone or iPad only the installed page can. */
  | 'not-installed'
  | 'unsupported'
  /** The user does not allow it. */
  | 'denied'
  /** The browser's push service can't be reached, or the service worker is not installed. */
  | 'push-service';

/** The obstacle was found while the browser subscribed. */
export class PushError extends Error {
  readonly obstacle: PushObstacle;

  constructor(obstacle: PushObstacle, options?: ErrorOptions) {
    super(obstacle, options);
    this.obstacle = obstacle;
  }
}

const registrationPatienceMs = 10_000;

/** What is known before the browser is asked; undefined if it may work. */
export function pushObstacle(page: Window & typeof globalThis): PushObstacle | undefined {
  if (!page.isSecureContext) return 'insecure';
  const { navigator } = page;
  if ('serviceWorker' in navigator && 'PushManager' in page && 'Notification' in page) {
    return page.Notification.permission === 'denied' ? 'denied' : undefined;
  }
  return /iPhone|iPad/.test(navigator.userAgent) ? 'not-installed' : 'unsupported';
}

/** The address of this browser's subscription; null without one. */
export async function ownEndpoint(page: Window & typeof globalThis): Promise<string | null> {
  if (pushObstacle(page) !== undefined) return null;
  const registration = await page.navigator.serviceWorker.getRegistration('/ui/');
  return (await registration?.pushManager.getSubscription())?.endpoint ?? null;
}

/**
 * Subscribes this browser; the user is asked for permission. To be called by a click: browsers ask only then.
 * @param publicKey fetches the server's key
 * @throws PushError
 */
export async function subscribe(
  page: Window & typeof globalThis,
  publicKey: () => Promise<string>,
): Promise<PushDevice> {
  const obstacle = pushObstacle(page);
  if (obstacle) throw new PushError(obstacle);
  if ((await page.Notification.requestPermission()) !== 'granted') throw new PushError('denied');
  const applicationServerKey = await publicKey();
  const { pushManager } = await registrationOf(page);
  try {
    // One for another key, as of a server that was set up again at this address, can't be used.
    const old = await pushManager.getSubscription();
    if (old && keyOf(old) !== applicationServerKey) await old.unsubscribe();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {};
    return { endpoint: subscription.endpoint, keys: { p256dh, auth } };
  } catch (cause) {
    throw new PushError('push-service', { cause });
  }
}

/** The service worker, which may still be installed. */
async function registrationOf({ navigator }: Window): Promise<ServiceWorkerRegistration> {
  const late = new Promise<undefined>((resolve) =>
    setTimeout(() => resolve(undefined), registrationPatienceMs),
  );
  const registration = await Promise.race([navigator.serviceWorker.ready, late]);
  if (!registration) throw new PushError('push-service');
  return registration;
}

/** Unpadded base64url. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
