import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { VersionCheck } from './version-check.ts';

const hourMs = 3_600_000;

/** A site whose responses `answer` writes, and which counts its requests. */
async function startSite(t: TestContext, answer: (reply: ServerResponse) => void) {
  const site = { asked: 0, url: '' };
  const server = createServer((_, reply) => {
    site.asked++;
    answer(reply);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest.json`;
  return site;
}

function newCheck(t: TestContext, url: string | null) {
  const clock = new ManualClock();
  const config = { versionCheck: { url } };
  const told: string[] = [];
  const log = { ...silentLog, warn: (_: unknown, message: string) => void told.push(message) };
  const check = new VersionCheck({ config, current: '1.0.0', clock, log });
  t.after(() => check.close());
  return { check, clock, config, told };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const nothing = { current: '1.0.0', latest: null, url: null };
const next = { version: '1.1.0', url: 'https://example.org/1.1' };

test('[R7.49] without an address nothing is requested; one that is configured later is requested', async (t) => {
  const site = await startSite(t, (reply) => reply.end(JSON.stringify(next)));
  const { check, config } = newCheck(t, null);
  assert.deepEqual(check.facts, nothing);
  assert.equal(site.asked, 0);
  config.versionCheck = { url: site.url };
  await until(() => check.facts.latest !== null);
  assert.deepEqual(check.facts, { current: '1.0.0', latest: '1.1.0', url: 'https://example.org/1.1' });
  config.versionCheck = { url: null };
  assert.deepEqual(check.facts, nothing);
});

test('[R7.49] an address that never answers delays no caller', async (t) => {
  const site = await startSite(t, () => {});
  const { check } = newCheck(t, site.url);
  await until(() => site.asked > 0);
  assert.deepEqual(check.facts, nothing);
  await check.close();
});

test('[R7.49] it is requested again twice a day, sooner after a failure, which is logged', async (t) => {
  let isWell = true;
  const site = await startSite(t, (reply) => {
    if (!isWell) reply.statusCode = 500;
    reply.end(JSON.stringify(next));
  });
  const { check, clock, told } = newCheck(t, site.url);
  await until(() => check.facts.latest === '1.1.0');
  clock.advance(12 * hourMs - 1);
  assert.equal(check.facts.latest, '1.1.0');
  assert.equal(site.asked, 1);
  isWell = false;
  clock.advance(1);
  assert.equal(check.facts.latest, '1.1.0');
  await until(() => told.length === 1);
  assert.equal(check.facts.latest, '1.1.0', 'what was known stays');
  clock.advance(hourMs / 4);
  assert.equal(check.facts.latest, '1.1.0');
  await until(() => site.asked === 3);
});

for (const [name, text] of [
  ['no JSON', '<html>'],
  ['another shape', '{"version": 5}'],
  ['a link that is no web address', '{"version": "2", "url": "javascript:alert(1)"}'],
  ['too much', JSON.stringify({ version: '2', padding: 'x'.repeat(70_000) })],
] as const) {
  test(`[R7.49] ${name} is rejected`, async (t) => {
    const site = await startSite(t, (reply) => reply.end(text));
    const { check, told } = newCheck(t, site.url);
    await until(() => told.length > 0);
    assert.deepEqual(check.facts, nothing);
  });
}

test('[R7.49] redirects are followed only within the host, up to a limit', async (t) => {
  const inner = await startSite(t, (reply) => reply.end(JSON.stringify(next)));
  const outer = await startSite(t, (reply) => reply.writeHead(302, { location: inner.url }).end());
  const { check, told } = newCheck(t, outer.url);
  await until(() => told.length > 0);
  assert.deepEqual(check.facts, nothing);
  assert.equal(inner.asked, 0);

  const moved = await startSite(t, (reply) => {
    if (moved.asked === 1) reply.writeHead(301, { location: '/elsewhere.json' }).end();
    else reply.end(JSON.stringify(next));
  });
  const { check: followed } = newCheck(t, moved.url);
  await until(() => followed.facts.latest === '1.1.0');
  const circle = await startSite(t, (reply) => reply.writeHead(302, { location: '/latest.json' }).end());
  const { told: failures } = newCheck(t, circle.url);
  await until(() => failures.length > 0);
  assert.equal(circle.asked, 4);
});
