import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { PageSoak, walk } from './page-soak.ts';
import { TestEnv } from './test-env.ts';

// A page that stays open. `npm run bench soak` checks the same over five hundred navigations and two hours.

let testEnv: TestEnv;
let client: Client;
let gate: string;

before(async () => {
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
});

after(() => testEnv?.close());

test('[R7.54] screens leave no listeners, players or sockets behind', () =>
  testEnv.open('/help', async (page) => {
    const soak = await PageSoak.begin(page);
    const walkOnce = async () => {
      for (const path of walk(gate)) await soak.go(path);
      return soak.untilQuiet();
    };
    // The first walks fetch scripts and fill caches.
    await walkOnce();
    const before = await walkOnce();
    for (let round = 0; round < 3; round++) await walkOnce();
    const { listeners, nodes } = await soak.untilQuiet();
    // One leaked listener per screen would make thirty.
    assert.ok(listeners < before.listeners + 30, `${before.listeners} listeners grew to ${listeners}`);
    assert.ok(nodes < before.nodes * 1.5 + 300, `${before.nodes} nodes grew to ${nodes}`);
  }));

test('[R7.54] a hidden tab sends no request for an hour, and continues when it is visible again', () =>
  testEnv.open('/help', async (page) => {
    await page.clock.install();
    const soak = await PageSoak.begin(page);
    await page.goto(`${testEnv.server.url}/ui/streams`);
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await soak.setHidden(true);
    // Data on its way may still arrive.
    await soak.pass(5, 1_000);
    const before = soak.requests;
    await soak.pass(60, 60_000);
    assert.equal(soak.requests, before);
    const asked = page.waitForRequest('**/v1/streams/statuses*');
    await soak.setHidden(false);
    await soak.pass(3, 1_000);
    await asked;
  }));
