import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { PageLife, walk } from './page-life.ts';
import { Stage } from './stage.ts';

// A page that is left open. `npm run bench life` asks the same over five hundred navigations and two hours.

let stage: Stage;
let client: Client;
let gate: string;

before(async () => {
  stage = await Stage.start();
  ({ client } = stage);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
});

after(() => stage?.close());

test('[R7.54] screens that were left leave neither listeners nor players nor sockets behind', () =>
  stage.open('/help', async (page) => {
    const life = await PageLife.begin(page);
    const walkOnce = async () => {
      for (const path of walk(gate)) await life.go(path);
      return life.untilQuiet();
    };
    // The first walks fetch scripts and fill caches.
    await walkOnce();
    const before = await walkOnce();
    for (let round = 0; round < 3; round++) await walkOnce();
    const { listeners, nodes } = await life.untilQuiet();
    // One listener that stays behind at each screen would be thirty.
    assert.ok(listeners < before.listeners + 30, `${before.listeners} listeners grew to ${listeners}`);
    assert.ok(nodes < before.nodes * 1.5 + 300, `${before.nodes} nodes grew to ${nodes}`);
  }));

test('[R7.54] a hidden tab asks nothing for an hour, and goes on when it is looked at again', () =>
  stage.open('/help', async (page) => {
    await page.clock.install();
    const life = await PageLife.begin(page);
    await page.goto(`${stage.server.url}/ui/streams`);
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await life.setHidden(true);
    // What was on its way may still come.
    await life.pass(5, 1_000);
    const before = life.requests;
    await life.pass(60, 60_000);
    assert.equal(life.requests, before);
    const asked = page.waitForRequest('**/v1/streams/statuses*');
    await life.setHidden(false);
    await life.pass(3, 1_000);
    await asked;
  }));
