import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { button, TestEnv } from './test-env.ts';

// The diagnostics that the page shows about a stream to its operator, and about the server to its
// administrator.

let testEnv: TestEnv;
/** Not the demo video: FFmpeg, which makes that, has the lowest priority, and on a busy machine it begins with an outage. */
let camera: FakeCamera;
let client: Client;
let gate: string;
let dock: string;

before(async () => {
  camera = await startFakeCamera({ clip: await encodeClip() });
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: camera.url } }));
  ({ uid: dock } = await client.addStream({ body: { name: 'Dock', streamSource: 'rtsp://127.0.0.1:9/x' } }));
  await until(
    async () => (await client.getStreamStats({ params: { uid: gate } })).histories[0]?.values.length ?? 0,
    (moments) => moments > 1,
    90_000,
  );
});

after(async () => {
  await testEnv?.close();
  await camera?.stop();
});

test('[R2.9] metrics over time, the source’s tracks, outages, and the live log', () =>
  testEnv.open(`/stream/${gate}/debug`, async (page) => {
    const chart = page.getByRole('figure', { name: /^Frames per second/ });
    await chart.waitFor();
    await until(
      () => chart.locator('polyline').getAttribute('points'),
      (points) => (points ?? '').split(' ').length > 1,
    );
    for (const name of [
      'Received',
      'Damaged frames per second',
      'Lost packets per second',
      'Slowest disk write',
    ]) {
      await page.getByRole('figure', { name: new RegExp(`^${name}`) }).waitFor();
    }
    await page.getByText('No outages since the server started.').waitFor();
    await page.getByText(/^Video has arrived without an outage for /).waitFor();
    await button(page, 'Test').click();
    await page.getByText('The camera answers').waitFor({ timeout: 60_000 });
    await page.getByText('Transport', { exact: true }).waitFor();
    const lines = page.getByRole('list', { name: 'Log' }).getByRole('listitem');
    const before = await lines.count();
    await client.pauseStream({ body: { uid: gate } });
    await until(
      () => lines.count(),
      (count) => count > before,
    );
    const outage = page.getByRole('table', { name: 'Outages' }).getByRole('row').nth(1);
    await outage.getByText('so far').waitFor();
    await client.resumeStream({ body: { uid: gate } });
    await outage.getByText('so far').waitFor({ state: 'detached' });
    await outage.getByText('Paused').waitFor();
  }));

test('[R2.9] [R10.2] an outage of an unreachable source shows its reason, and so does its probe', () =>
  testEnv.open(`/stream/${dock}/debug`, async (page) => {
    await page.getByText(/^No video since .* refused the connection/).waitFor();
    const reason = page.getByRole('table', { name: 'Outages' }).getByText('refused the connection');
    const shown = () => reason.filter({ visible: true });
    await shown().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await shown().waitFor();
    assert.equal(await shown().count(), 1);
    await button(page, 'Test').click();
    const alert = page.getByRole('main').getByRole('alert');
    await alert.waitFor({ timeout: 60_000 });
    assert.notEqual(await alert.textContent(), '');
  }));

test('[R10.2] [R1.7] a failed camera is told above the list, and its player says why, since when, when next, and what to do', async () => {
  await testEnv.open('/streams', async (page) => {
    const strip = page.getByRole('region', { name: '1 stream has no video' });
    const link = strip.getByRole('link', { name: /No signal.*Dock.*refused the connection/ });
    await link.waitFor();
    assert.deepEqual(await seriousFaults(page), []);
    // A search is for something else.
    await page.getByRole('searchbox').fill('gate');
    await strip.waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('');
    await strip.waitFor();
    // Without the server it is not known which streams have video.
    await page.context().route('**/v1/**', (route) => route.abort());
    await page.context().setOffline(true);
    await strip.waitFor({ state: 'detached' });
    await page.context().unroute('**/v1/**');
    await page.context().setOffline(false);
    await link.click();
    await page.getByRole('heading', { name: 'Dock', level: 1 }).waitFor();
    const video = page.getByRole('main');
    await video.getByText('refused the connection').waitFor();
    await video.getByText(/^No video since .*The next attempt begins within/).waitFor();
    await video.getByRole('link', { name: 'Settings' }).waitFor();
    // Its state is said once, and not contradicted by what the player waits for.
    assert.equal(await video.getByText(/^(Connecting|Not live)/).count(), 0);
    assert.deepEqual(await seriousFaults(page), []);
    await video.getByRole('link', { name: 'Test' }).click();
    await page.waitForURL(`**/stream/${dock}/setting?test=true`);
  });
});

test('[R2.14] the server’s metrics are shown over time, and the value of each moment can be read', () =>
  testEnv.open('/administration/stats', async (page) => {
    const dark = page.getByRole('listitem').filter({ hasText: '1 stream has no video' });
    await dark.getByRole('link', { name: 'Dock' }).waitFor();
    await dark.getByText('refused the connection').waitFor();
    const idle = page.getByRole('listitem').filter({ hasText: '1 stream should be recorded and is not:' });
    await idle.getByRole('link', { name: 'Dock' }).waitFor();
    const chart = page.getByRole('figure', { name: /^Memory/ });
    await chart.getByText(/^Limit: \d/).waitFor();
    const figure = chart.locator('figcaption span').nth(1);
    await figure.waitFor();
    const moment = chart.locator('figcaption ~ div span').nth(1);
    assert.match((await moment.textContent()) ?? '', /^max\. \d/);
    await chart.locator('svg').hover({ position: { x: 2, y: 20 } });
    await until(
      () => moment.textContent(),
      (words) => /^\d\d:\d\d:\d\d$/.test(words ?? ''),
    );
  }));
