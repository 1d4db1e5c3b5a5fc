import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import {
  smtpPassword,
  smtpUser,
  startSmtpServer,
  type TestSmtpServer,
} from '../server/src/system/smtp-fixture.ts';
import { administratorOf, until } from './api.ts';
import { consoleErrorsOf, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { administrator, signIn, startServer, type TestServer } from './server.ts';
import { inStore } from './stored.ts';

// Signing in and staying signed in: sign-in, recovery, required and voluntary password changes, and how
// failures are shown.

const kiosk = { name: 'wall', password: 'seven quiet otters 5' };
const owner = { name: 'owner', password: 'nine brave herons 4', email: 'owner@example.org' };

let smtp: TestSmtpServer;
let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;
let folder: string;

before(async () => {
  smtp = await startSmtpServer();
  folder = await mkdtemp(join(tmpdir(), 'vidette-ca-'));
  const certificate = join(folder, 'smtp.pem');
  await writeFile(certificate, smtp.certificate);
  [server, browser] = await Promise.all([
    startServer({
      env: {
        NODE_EXTRA_CA_CERTS: certificate,
        VIDETTE_SMTP_HOST: '127.0.0.1',
        VIDETTE_SMTP_PORT: String(smtp.port),
        VIDETTE_SMTP_USER: smtpUser,
        VIDETTE_SMTP_PASSWORD: smtpPassword,
        VIDETTE_KIOSK_USER: kiosk.name,
        VIDETTE_KIOSK_PASSWORD: kiosk.password,
      },
    }),
    launchBrowser(),
  ]);
  ({ client, cookie } = await administratorOf(server));
  await client.addUser({ body: kiosk });
  await client.addUser({ body: owner });
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await smtp?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a page as a given user; fails the test when the page logged an error. */
async function open(path: string, as: string | null, body: (page: Page) => Promise<void>): Promise<void> {
  const context = await newPerson(browser);
  context.setDefaultTimeout(60_000);
  if (as !== null) await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  await page.goto(`${server.url}/ui${path}`);
  await body(page);
  assert.deepEqual(consoleErrors, []);
  await context.close();
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Holds the answers to calls at an address until the returned function is called. */
async function hold(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.context().route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test('[R2.2] [R3.8] [R4.10] a kiosk’s sign-in form is prefilled, and the button waits for the answer', () =>
  open('/auth', null, async (page) => {
    assert.equal(await page.getByLabel('Login or e-mail').inputValue(), kiosk.name);
    const release = await hold(page, '**/v1/sign-in');
    await button(page, 'Sign in').click();
    await page.locator('button[type=submit][data-loading]').waitFor();
    release();
    await page.waitForURL('**/ui/streams');
    await page.getByText('No streams yet').waitFor();
  }));

test('[R4.10] [R2.23] recovery counts down from Retry-After, and ends at sign-in with a message about the changed password', () =>
  open('/recover-password', null, async (page) => {
    const releaseCode = await hold(page, '**/v1/password/send-reset');
    await page.getByLabel('E-mail').fill(owner.email);
    await button(page, 'Send the code').click();
    await page.locator('button[data-loading]').waitFor();
    releaseCode();
    await page.getByText(`Code has been sent to ${owner.email}`).waitFor();
    const again = button(page, /^Send another code in/);
    await again.waitFor();
    assert.ok(await again.isDisabled());
    const left = async () => {
      const [, minutes = '0', seconds = '0'] =
        /code in (?:(\d+)\smin)? ?(?:(\d+)\ss)?/.exec((await again.textContent()) ?? '') ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    const first = await left();
    assert.ok(first > 0 && first <= 60, `not what the server said: ${first}`);
    await until(left, (now) => now > 0 && now < first, 60_000);
    const email = await until(
      () => smtp.emails[0],
      (received) => received !== undefined,
      60_000,
    );
    await page.getByLabel('Code from the e-mail').fill('AAAA-AAAA');
    await page.getByLabel('New password', { exact: true }).fill('eleven calm lynxes 2');
    await button(page, 'Change the password').click();
    await page.locator('input[aria-invalid=true]').waitFor();
    await page.getByLabel('Code from the e-mail').fill(email?.code ?? '');
    const releaseReset = await hold(page, '**/v1/password/reset');
    await button(page, 'Change the password').click();
    await page.locator('button[type=submit][data-loading]').waitFor();
    releaseReset();
    await page.waitForURL('**/ui/auth?recover=true');
    await page.getByText('Password has been changed').waitFor();
    await page.getByLabel('Login or e-mail').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill('eleven calm lynxes 2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/streams');
  }));

// Answered in place of the server: a server configured to report it would do so in the other tests too.
test('[R8.5] if the server reports that no user has the address, recovery shows that', () =>
  open('/recover-password', null, async (page) => {
    await page.route('**/v1/password/send-reset', (route) =>
      route.fulfill({ status: 404, json: { code: 'NotFound', error: 'No user has this e-mail.' } }),
    );
    await page.getByLabel('E-mail').fill('unknown@example.org');
    await button(page, 'Send the code').click();
    await page.getByText('User with email unknown@example.org has not found').waitFor();
  }));

test('[R2.21] a user who must change the password is sent there from any screen, and continues afterwards', async () => {
  const body = { name: 'fresh', password: 'three loud magpies 8', mustChangePassword: true };
  await client.addUser({ body });
  await open('/bookmarks', null, async (page) => {
    await page.getByLabel('Login or e-mail').fill(body.name);
    await page.getByLabel('Password', { exact: true }).fill(body.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/profile/me/edit');
    await page.getByText('Choose a new password to continue.').waitFor();
    await page.getByLabel('Old password', { exact: true }).fill(body.password);
    await page.getByLabel('New password', { exact: true }).fill('three silent magpies 8');
    await button(page, 'Save').click();
    await page.waitForURL('**/ui/streams');
    await page.getByText('No streams yet').waitFor();
  });
});

test('[R5.1] [R5.2] [R8.6] a password error appears at its field; a valid password keeps this browser signed in', async () => {
  const here = await signIn(server, kiosk.name, kiosk.password);
  const elsewhere = await signIn(server, kiosk.name, kiosk.password);
  await open('/profile/me/edit', here, async (page) => {
    const old = page.getByLabel('Old password', { exact: true });
    const next = page.getByLabel('New password', { exact: true });
    const attempt = async (oldText: string, nextText: string) => {
      await old.fill(oldText);
      await next.fill(nextText);
      await button(page, 'Save').click();
    };
    await attempt('not this one', 'a better one 77');
    await page.getByText('Invalid old password.').waitFor();
    await page.locator('input[autocomplete=current-password][aria-invalid=true]').waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
    await attempt(kiosk.password, kiosk.password);
    await page.getByText('Old password and new password cannot be same.').waitFor();
    await page.locator('input[autocomplete=new-password][aria-invalid=true]').waitFor();
    await attempt(kiosk.password, 'password1');
    await page.getByText('Password is not complex enough.').waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: 'not complex' }).count(), 0);
    await attempt(kiosk.password, 'a better one 77');
    await page.getByText('Profile has been updated').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: kiosk.name }).waitFor();
    const reply = await fetch(`${server.url}/v1/profile`, { headers: { cookie: elsewhere } });
    assert.equal(reply.status, 401);
  });
  const { password } = kiosk;
  await client.saveUser({ params: { login: kiosk.name }, body: { password } });
});

test('[R4.14] the confirmation of a saved profile is shown for 300 ms', () =>
  open('/profile/me/edit', cookie, async (page) => {
    await page.getByLabel('Full name').fill('Ada');
    // From here on the test controls the clock.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await button(page, 'Save').click();
    const isUp = () => page.locator('button[data-saved=true]').count();
    await until(
      async () => {
        await page.clock.runFor(10);
        return isUp();
      },
      (count) => count === 1,
      60_000,
    );
    await page.clock.runFor(250);
    assert.equal(await isUp(), 1);
    await page.clock.runFor(100);
    await until(isUp, (count) => count === 0, 60_000);
  }));

test('[R8.3] [R8.10] a failure with a title is a notification at the top right, a 404 of a GET is not', () =>
  open('/profile/me/tokens', cookie, async (page) => {
    await page
      .context()
      .route('**/v1/tokens', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 500, json: { code: 'InternalServerError', error: '' } })
          : route.continue(),
      );
    await page.getByLabel('Name').fill('Backup');
    await button(page, 'Create a token').click();
    const notification = page.locator('.mantine-Notification-root');
    // In one check: it disappears by itself, and a slow machine may need longer for two.
    await page
      .locator('[data-position=top-right]')
      .filter({ has: notification })
      .filter({ hasText: 'Token has not been changed' })
      .filter({ hasText: 'Internal server error.' })
      .waitFor();
    await page.goto(`${server.url}/ui/stream/nosuch/info`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    assert.equal(await notification.count(), 0);
  }));

for (const [name, address, code, words] of [
  ['settings', '**/v1/system/internal/ui/settings', 'InternalServerError', 'Internal server error.'],
  ['health', '**/v1/system/health', undefined, 'Something went wrong.'],
] as const) {
  test(`[R8.8] ${name} that fail on the server show the text of their code, or the default`, () =>
    open('/help', cookie, async (page) => {
      await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
      await page
        .context()
        .route(address, (route) => route.fulfill({ status: 500, json: code ? { code, error: '' } : {} }));
      if (name === 'health') await page.reload();
      else await page.getByRole('link', { name: 'All streams' }).click();
      const notification = page.locator('.mantine-Notification-root').filter({ hasText: words });
      await notification.filter({ hasText: 'This could not be loaded' }).waitFor();
    }));
}

test('[R8.8] [R7.53] saving settings without an answer shows that the server does not respond', () =>
  open('/help', cookie, async (page) => {
    await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
    await page.context().route('**/v1/**', (route) => route.abort());
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByText('Server is not responding.').first().waitFor();
    await page.context().unroute('**/v1/**');
    await until(
      () => page.getByText('Server is not responding.').count(),
      (count) => count === 0,
    );
    await page.getByText('No streams yet').waitFor();
  }));

test('[R7.51] [R4.4] a blocked user is sent to sign-in, which refuses them', async () => {
  const own = await signIn(server, kiosk.name, kiosk.password);
  await open('/streams', own, async (page) => {
    await page.getByText('No streams yet').waitFor();
    await client.blockUser({ params: { login: kiosk.name } });
    await page.waitForURL('**/ui/auth?expired=true');
    await button(page, 'Sign in').click();
    await page.getByText('Incorrect login or password.').waitFor();
    await client.unblockUser({ params: { login: kiosk.name } });
  });
  assert.ok(await signIn(server, administrator.name));
});

test('[R5.1] [R7.22] [R7.23] [R3.3] [R3.4] some time after signing in the page asks for the password, and the old address is notified of a change', async () => {
  const person = { name: 'keeper', password: 'six patient storks 3', email: 'keeper@example.org' };
  await client.addUser({ body: person });
  const here = await signIn(server, person.name, person.password);
  await inStore(server, 'UPDATE session_proofs SET proved_ms = 1');
  await open('/profile/me/tokens', here, async (page) => {
    await page.getByLabel('Name').fill('script');
    await button(page, 'Create a token').click();
    const dialog = page.getByRole('dialog', { name: 'Enter your password' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Create a token' }).click();
    await dialog.getByLabel('Password', { exact: true }).fill('not this one');
    await button(page, 'Confirm').click();
    await dialog.getByText('Wrong password.').waitFor();
    await dialog.locator('input:focus').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await button(page, 'Confirm').click();
    await page.getByText('Copy the secret now.').waitFor();
    await dialog.waitFor({ state: 'detached' });

    await page.goto(`${server.url}/ui/profile/me/edit`);
    await page.getByLabel('E-mail').fill('thief@example.org');
    await button(page, 'Save').click();
    await page.getByText('Profile has been updated').waitFor();

    await page.goto(`${server.url}/ui/profile/me/sessions`);
    await button(page, 'End all sessions').click();
    const ending = page.getByRole('dialog', { name: 'End all sessions' });
    await ending.getByText('This session continues unless you end it too.').waitFor();
    await page.keyboard.press('Escape');
    await ending.waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'End all sessions' }).click();
    await ending.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('Sessions have been ended').waitFor();
    // The session continues with its new secret.
    await page.goto(`${server.url}/ui/profile/me/tokens`);
    await page.getByText('No tokens yet').waitFor();
    await page.goto(`${server.url}/ui/profile/me/sessions`);
    await button(page, 'End all sessions').click();
    await ending.getByLabel('End this session too').check();
    await ending.getByRole('button', { name: 'End all sessions' }).click();
    await page.waitForURL('**/ui/auth');
  });
  const email = await until(
    () => smtp.emails.find(({ to, subject }) => to === person.email && /account was changed/.test(subject)),
    (found) => found !== undefined,
  );
  assert.match(email?.content ?? '', /the e-mail address/);
  assert.doesNotMatch(email?.content ?? '', /thief/);
});
