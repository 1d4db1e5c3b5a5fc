import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, BrowserContext, Page, Worker } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import {
  PushBrowser,
  startPushService,
  vapidClaims,
  type PushService,
} from '../server/src/events/push-fixture.ts';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

// Rules and targets on the page, and notifications in the browser itself. Chromium's own push service is on the
// Internet: one on loopback takes its place, and DevTools delivers to the service worker.

let folder: string;
let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let service: PushService;
let device: PushBrowser;
let uid: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-push-'));
  service = await startPushService();
  device = new PushBrowser(`${service.url}phone`);
  const certificate = join(folder, 'push.pem');
  await writeFile(certificate, service.certificate);
  [server, browser] = await Promise.all([
    startServer({ env: { NODE_EXTRA_CA_CERTS: certificate } }),
    launchBrowser(),
  ]);
  ({ client, cookie } = await administratorOf(server));
  const archive = { isEnable: true, depthHours: 1 };
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:?fps=5', archive } }));
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(t: TestContext, path: string): Promise<[BrowserContext, Page]> {
  const context = await newPerson(browser, { ...desktop, isInstalled: true });
  t.after(() => context.close());
  context.setDefaultTimeout(20_000);
  await context.grantPermissions(['notifications'], { origin: server.url });
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui${path}`);
  return [context, page];
}

test('[R11.5] [R11.6] [R11.10] a browser is added on the page, tested, and gets the notification of a rule with a still', async (t) => {
  const [context, page] = await open(t, '/notifications?target=new');
  const key = (await client.getPushKey()).publicKey;
  // What Chromium's push service would return; it is asked with the server's key.
  await page.evaluate(
    ({ endpoint, keys }) => {
      PushManager.prototype.subscribe = (options?: PushSubscriptionOptionsInit) =>
        Promise.resolve({
          endpoint,
          toJSON: () => ({ endpoint, keys: { ...keys, asked: options?.applicationServerKey } }),
        } as unknown as PushSubscription);
    },
    { endpoint: device.settings.endpoint, keys: device.settings.keys },
  );
  await page.getByLabel('Name').fill('My phone');
  await page.getByRole('switch', { name: 'Quiet hours' }).click();
  await page.getByLabel('From').fill('25:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a time such as 22:00').waitFor();
  await page.getByRole('switch', { name: 'Quiet hours' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test was accepted').waitFor();
  const tested = service.received.at(-1) ?? assert.fail();
  assert.equal(device.read(tested.body).body, 'This is a test. Notifications reach you here.');
  assert.equal(vapidClaims(String(tested.headers.authorization)).key, key);

  await page.getByRole('link', { name: 'Add rule' }).click();
  await page.getByLabel('Name').fill('Plates');
  await page.getByRole('combobox', { name: 'Events' }).press('ArrowDown');
  await page.getByRole('option', { name: 'an annotation' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Notify' }).press('ArrowDown');
  await page.getByRole('option', { name: 'My phone' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show what it would have done' }).click();
  await page.getByTestId('rule-preview').getByText('It would not have acted.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText('When there is motion or an annotation on any stream or the server: notify My phone.')
    .waitFor();

  const exports = { leadSeconds: 2, trailSeconds: 1 };
  await client.addRule({ body: { name: 'Keep plates', kinds: ['annotation'], exports } });
  const count = service.received.length;
  await until(
    () =>
      client.getArchiveExtent({
        params: { uid },
        query: { start_time: Date.now() - 600_000, end_time: Date.now() },
      }),
    ({ startTime, endTime }) => startTime !== null && endTime !== null && endTime - startTime > 4_000,
  );
  const timeMs = Date.now() - 3_000;
  await client.addAnnotation({ body: { streamId: uid, kind: 'plate', time: timeMs, note: 'A 123' } });
  await until(
    () => service.received.length,
    (length) => length > count,
  );
  const message = device.read(service.received[count]?.body ?? assert.fail());
  assert.deepEqual([message.title, message.body], ['Gate: annotation', 'A 123\nRule: Plates']);
  const still = await fetch(server.url + message.image);
  assert.equal(still.headers.get('content-type'), 'image/jpeg');
  const jpeg = Buffer.from(await still.arrayBuffer());
  assert.deepEqual([...jpeg.subarray(0, 2), ...jpeg.subarray(-2)], [0xff, 0xd8, 0xff, 0xd9]);
  assert.equal((await fetch(`${server.url + message.image}A`)).status, 404);

  await opensMoment(context, page, message, timeMs);

  service.answer = { status: 410 };
  await page.goto(`${server.url}/ui/notifications`);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('the browser no longer receives notifications').waitFor();
  await page.getByText('No targets yet').waitFor();

  const [kept] = (
    await until(
      () => client.listExports({ query: {} }),
      ({ items }) => items[0]?.status === 'ready',
    )
  ).items;
  assert.ok(kept);
  const span = [kept.startTime, kept.endTime];
  assert.deepEqual([kept.name, ...span], ['Keep plates', timeMs - 2_000, timeMs + 1_000]);
});

/** Delivers a message to the service worker, and clicks the notification that it shows. */
async function opensMoment(
  context: BrowserContext,
  page: Page,
  message: object,
  timeMs: number,
): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${server.url}/ui/`);
      if (own) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  const deliver = () =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: server.url,
      registrationId,
      data: JSON.stringify(message),
    });
  await deliver();
  await deliver();
  const shown = await until(
    () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        const all = await registration.getNotifications();
        return all.map(({ title, body, tag, lang }) => ({ title, body, tag, lang }));
      }),
    ({ length }) => length > 0,
  );
  assert.equal(shown.length, 1, 'the same tag: a burst is one notification');
  const [{ title, body, lang } = assert.fail()] = shown;
  assert.deepEqual([title, lang], ['Gate: annotation', 'en']);
  assert.match(body, /^\d\d:\d\d:\d\d\nA 123\nRule: Plates$/);

  const worker = context.serviceWorkers()[0] ?? assert.fail();
  await click(worker);
  await page.waitForURL(`${server.url}/ui/stream/${uid}/view?t=${timeMs}`);
  const player = page.locator('[data-player-mode=archive][data-player-state=playing]');
  const utcMs = await until(
    async () => ((await player.count()) === 0 ? 0 : Number(await player.getAttribute('data-utc-ms'))),
    (at) => at > 0,
  );
  assert.ok(Math.abs(utcMs - timeMs) < 30_000, `${utcMs - timeMs} ms from the moment`);
}

/** No protocol clicks a notification: the service worker gets the event that the click would be. */
function click(worker: Worker): Promise<void> {
  return worker.evaluate(async () => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration;
      NotificationEvent: new (type: string, init: { notification: Notification }) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    if (!notification) throw new Error('No notification is shown');
    dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  });
}

test('[R11.10] a browser that can’t subscribe says why', async (t) => {
  const [, page] = await open(t, '/notifications?target=new');
  await page.evaluate(() => {
    PushManager.prototype.subscribe = () => Promise.reject(new DOMException('offline', 'AbortError'));
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('could not register with its push service').waitFor();
  await page.evaluate(() => {
    Object.defineProperty(Notification, 'permission', { value: 'denied' });
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This browser does not allow notifications').waitFor();
});

test('[R11.7] [R11.9] the page tells how many recipients, rules and targets a user may have, in the reader’s language', async (t) => {
  const [, page] = await open(t, '/notifications?target=new');
  await page.getByLabel('Type').selectOption('email');
  const addresses = Array.from({ length: limits.emailRecipientsMax + 1 }, (_, at) => `a${at}@example.org`);
  await page.getByLabel('Recipients').fill(addresses.join('\n'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter at most 10 addresses').waitFor();

  const added = { rules: [] as number[], targets: [] as number[] };
  t.after(async () => {
    for (const id of added.rules) await client.deleteRule({ params: { id } });
    for (const id of added.targets) await client.deleteTarget({ params: { id } });
    await client.saveProfile({ body: { language: 'en' } });
  });
  const [rules, targets] = await Promise.all([client.listRules(), client.listTargets()]);
  for (let count = rules.items.length; count < limits.rulesMax; count++) {
    const body = { name: `Rule ${count}`, kinds: ['gap' as const], isEnabled: false, bookmarks: true };
    added.rules.push((await client.addRule({ body })).id);
  }
  for (let count = targets.items.length; count < limits.targetsMax; count++) {
    const settings = { type: 'mqtt' as const, topic: 'yard' };
    added.targets.push((await client.addTarget({ body: { name: `Target ${count}`, settings } })).id);
  }
  await page.goto(`${server.url}/ui/notifications`);
  await page.getByText('A user has at most 50 rules. Delete one to add another.').waitFor();
  await page
    .getByText('A user has at most 20 targets, 10 of them browsers. Delete one to add another.')
    .waitFor();
  assert.equal(await page.getByRole('link', { name: /^Add (?:rule|target)$/ }).count(), 0);
  await page.goto(`${server.url}/ui/notifications?rule=new`);
  await page.getByLabel('Name').fill('One more');
  await page.getByRole('combobox', { name: 'Events' }).press('ArrowDown');
  await page.getByRole('option', { name: 'an annotation' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Add a bookmark on the timeline' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A user has at most 50 rules. Delete one to add another.').waitFor();
  await client.saveProfile({ body: { language: 'ru' } });
  await page.goto(`${server.url}/ui/notifications`);
  await page.getByText('У пользователя может быть не больше 50 правил.').waitFor();
});

test('[R11.10] a subscription that the push service replaces is renewed by the service worker, without a signed-in user', async (t) => {
  service.answer = { status: 201 };
  const [old, renewed] = [new PushBrowser(`${service.url}old`), new PushBrowser(`${service.url}new`)];
  const { id } = await client.addTarget({ body: { name: 'Tablet', settings: old.settings } });
  t.after(() => client.deleteTarget({ params: { id } }));
  const [context, page] = await open(t, '/streams');
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  await context.clearCookies();
  const worker = context.serviceWorkers()[0] ?? assert.fail();
  await worker.evaluate(
    ([before, after]) => {
      const made = ({ endpoint, keys }: { endpoint: string; keys: object }) =>
        ({
          endpoint,
          options: { applicationServerKey: new ArrayBuffer(65) },
          toJSON: () => ({ endpoint, keys }),
        }) as unknown as PushSubscription;
      let current: PushSubscription | null = null;
      PushManager.prototype.getSubscription = () => Promise.resolve(current);
      PushManager.prototype.subscribe = () => Promise.resolve((current = made(after)));
      const ended = new Event('pushsubscriptionchange');
      const waitUntil = () => undefined;
      dispatchEvent(
        Object.assign(ended, { oldSubscription: made(before), newSubscription: null, waitUntil }),
      );
    },
    [old.settings, renewed.settings] as const,
  );
  const settings = await until(
    async () => (await client.listTargets({})).items.find((target) => target.id === id)?.settings,
    (now) => now?.type === 'push' && now.endpoint === renewed.settings.endpoint,
  );
  assert.ok(settings?.type === 'push');
  assert.deepEqual(settings.keys, renewed.settings.keys);
  await client.testTarget({ params: { id } });
  assert.ok(renewed.read(service.received.at(-1)?.body ?? assert.fail()));
});

test('[R11.5] a rule holds footage, which the page shows and releases; until then the stream can’t be deleted', async (t) => {
  const [, page] = await open(t, '/notifications?rule=new');
  await page.getByLabel('Name').fill('Keep plates');
  await page.getByRole('combobox', { name: 'Events' }).press('ArrowDown');
  await page.getByRole('option', { name: 'an annotation' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Hold the footage' }).click();
  await page.getByLabel('Hold for days').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('on any stream or the server: hold the footage for 3 d.').waitFor();

  const timeMs = Date.now();
  await client.addAnnotation({ body: { streamId: uid, kind: 'plate', time: timeMs } });
  const [held] = (await client.listHolds({ params: { uid } })).items;
  assert.ok(held);
  const { startTime, heldUntil, rule, createdBy } = held;
  assert.deepEqual([startTime, heldUntil, rule], [timeMs - 30_000, timeMs + 3 * 86_400_000, 'Keep plates']);
  assert.ok(createdBy);
  for (const purge of [false, true])
    await assert.rejects(client.deleteStream({ params: { uid }, query: { purge } }), { code: 'FootageHeld' });

  await page.goto(`${server.url}/ui/stream/${uid}/view`);
  await page.getByRole('button', { name: 'Held footage: 1' }).click();
  await page.getByText(/^Held until .* by rule “Keep plates”$/).waitFor();
  await page.getByRole('button', { name: /^Release the footage of/ }).click();
  await page.getByText('The footage is no longer held').waitFor();
  await page.getByRole('button', { name: /^Held footage/ }).waitFor({ state: 'detached' });
  assert.deepEqual((await client.listHolds({ params: { uid } })).items, []);
});
