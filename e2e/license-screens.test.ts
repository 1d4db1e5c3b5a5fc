import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeLicense } from '../server/src/system/license-text.ts';
import { until } from './api.ts';
import { signIn } from './server.ts';
import { TestEnv } from './test-env.ts';

// The page of a server whose license has expired.

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const waitMs = 60_000;
const reason = 'Streams can’t be added while the license is missing or expired.';
const guard = { name: 'guard', password: 'correct horse 7 battery' };

let testEnv: TestEnv;
let uid: string;
let mosaic: number;
let guardCookie: string;

function licenseOf(lifeMs: number): string {
  const issuedAt = Date.now();
  const expiresAt = issuedAt + lifeMs;
  const terms = { version: 1, owner: 'ACME', productType: 'standard', maxStreams: -1 } as const;
  return writeLicense(
    { ...terms, issuedAt, expiresAt, features: ['archive'] },
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

before(async () => {
  const vendorKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  testEnv = await TestEnv.start({ env: { VIDETTE_LICENSE_VENDOR_KEY: vendorKey } });
  const { client, server } = testEnv;
  await client.addUser({ body: { ...guard, email: 'guard@example.org', maxStreamCreation: -1 } });
  guardCookie = await signIn(server, guard.name, guard.password);
  await client.saveLicense({ body: { text: licenseOf(6_000) } });
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:tile?fps=5' } }));
  const cells = [{ x: 0, y: 0, width: 1, height: 1, stream: uid }];
  mosaic = (await client.addMosaic({ body: { name: 'All', layout: { columns: 1, rows: 1, cells } } })).id;
  await until(
    () => client.getSettings(),
    ({ isLicenseExpired }) => isLicenseExpired,
    waitMs,
  );
});

after(() => testEnv?.close());

const add = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Add stream/ });

test('[R6.9] without a valid license the add button is shown disabled, with the reason, on every path', () =>
  testEnv.open('/streams', async (page) => {
    page.setDefaultTimeout(waitMs);
    await add(page).waitFor();
    assert.equal(await add(page).getAttribute('aria-disabled'), 'true');
    assert.equal(await add(page).getAttribute('aria-label'), `Add stream. ${reason}`);
    await add(page).focus();
    await page.keyboard.press('Enter');
    await add(page).click({ force: true });
    assert.equal(new URL(page.url()).pathname, '/ui/streams');
    await page.goto(`${testEnv.server.url}/ui/add-stream?source=demo:`);
    await page.getByText(reason, { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Address of the camera').count(), 0);

    // Live video continues, and the archive shows why it doesn't.
    await page.goto(`${testEnv.server.url}/ui/stream/${uid}/view`);
    await page.locator('[data-player-mode=live][data-player-state=playing]').waitFor({ state: 'attached' });
    await page.goto(`${testEnv.server.url}/ui/stream/${uid}/view?t=${Date.now() - 5_000}`);
    await page.locator('[data-player-state=failed]').waitFor({ state: 'attached' });
    await page.getByText('License is missing or expired.', { exact: true }).first().waitFor();

    await page.getByRole('link', { name: 'Upload a license' }).first().click();
    await page.waitForURL('**/ui/administration/license');
    await page.getByLabel('License key').fill(licenseOf(3_600_000));
    await page.getByRole('button', { name: 'Upload a license' }).click();
    await page.getByText(/^License is missing/).waitFor({ state: 'detached' });
    await page.getByRole('banner').getByRole('link', { name: 'Add stream' }).click();
    await page.getByLabel('Address of the camera').waitFor();
    await testEnv.client.saveLicense({ body: { text: licenseOf(1_000) } });
    await until(
      () => testEnv.client.getSettings(),
      ({ isLicenseExpired }) => isLicenseExpired,
      waitMs,
    );
  }));

test('[R2.30] a user who can’t upload a license is told whom to contact; one who can sees how to get more features if no site is configured', async () => {
  await testEnv.openAs(guardCookie, '/mosaics', async (page) => {
    page.setDefaultTimeout(waitMs);
    await page.getByText('Ask an administrator to upload a license.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Upload a license' }).count(), 0);
    assert.equal(await add(page).getAttribute('aria-disabled'), 'true');
    await page.getByRole('button', { name: guard.name }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'More features' }).count(), 0);
    await page.goto(`${testEnv.server.url}/ui/add-stream`);
    await page.getByText(`${reason} Ask an administrator to upload a license.`).waitFor();
  });
  await testEnv.open(`/mosaic/${mosaic}`, async (page) => {
    page.setDefaultTimeout(waitMs);
    await page.getByRole('button', { name: 'admin' }).click();
    await page.getByRole('menuitem', { name: 'More features' }).click();
    await page.waitForURL('**/ui/administration/license');
  });
  // With a site in the settings, it is shown to everyone.
  const settings = await testEnv.client.getSettings();
  await testEnv.openAs(guardCookie, '/mosaics', async (page) => {
    await page
      .context()
      .route('**/v1/system/internal/ui/settings', (route) =>
        route.fulfill({ json: { ...settings, site: 'https://example.org/more' } }),
      );
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByRole('button', { name: guard.name }).click();
    const more = page.getByRole('menuitem', { name: 'More features' });
    await more.waitFor({ timeout: waitMs });
    assert.equal(await more.getAttribute('href'), 'https://example.org/more');
  });
});
