import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { featuresOf, writeLicense } from '../server/src/system/license-text.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { consoleErrorsOf, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

// A single node: the status it reports, draining, and returning to service.

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const vendorKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();

let dataDir: string;
let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;
let uid: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-cluster-'));
  server = await start('main');
  ({ client, cookie } = await administratorOf(server));
  await license('enterprise');
  ({ uid } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function start(nodeId: string): Promise<TestServer> {
  return startServer({
    dataDir,
    env: { VIDETTE_LICENSE_VENDOR_KEY: vendorKey, VIDETTE_NODE_ID: nodeId, VIDETTE_NODE_CAPACITY: '2' },
  });
}

async function restart(nodeId: string): Promise<void> {
  await server.stop();
  server = await start(nodeId);
  client = clientOf(server, cookie);
}

function license(productType: 'standard' | 'enterprise', features = featuresOf(productType)) {
  const text = writeLicense(
    { version: 1, owner: 'Harbour', productType, issuedAt: 1, expiresAt: null, maxStreams: -1, features },
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  return client.saveLicense({ body: { text } });
}

const node = (id = 'main') => client.getClusterNode({ params: { id } });
const status = async () => (await client.getStream({ params: { uid } })).status;
const isDrainWarned = async () =>
  (await client.getHealth()).warnings.some(
    ({ code, subject }) => code === 'cluster-node-drained' && subject === 'main',
  );
const recorded = async () => (await client.getArchiveStats({ params: { uid } })).durationMs;

test('[R6.8] the nodes are available with an enterprise license that covers the cluster', async () => {
  const codes = async (code: string) => {
    const params = { id: 'main' };
    await assert.rejects(client.listClusterNodes(), { code });
    await assert.rejects(client.getClusterNode({ params }), { code });
    await assert.rejects(client.saveClusterNode({ params, body: { name: 'x' } }), { code });
    await assert.rejects(client.deleteClusterNode({ params }), { code });
    await assert.rejects(client.drainClusterNode({ params }), { code });
    await assert.rejects(client.returnClusterNode({ params }), { code });
  };
  await license('standard');
  await codes('EnterpriseOnly');
  await license('enterprise', ['archive']);
  await codes('FeatureNotFound');
  assert.equal((await client.getSettings()).clusterEnabled, false);
  await license('enterprise');
  const { isEnterprise, clusterEnabled } = await client.getSettings();
  assert.deepEqual([isEnterprise, clusterEnabled], [true, true]);
});

test('[R7.36, R7.37, R7.38] one server is one node, which can be renamed and reports its state', async () => {
  const params = { id: 'main' };
  const renamed = await client.saveClusterNode({ params, body: { name: 'Yard, north' } });
  assert.equal((await node()).name, 'Yard, north');
  const { items, total } = await client.listClusterNodes();
  assert.equal(total, 1);
  assert.deepEqual(
    [items[0]?.id, items[0]?.name, items[0]?.available, items[0]?.isSelf, items[0]?.streams],
    ['main', 'Yard, north', true, true, 1],
  );
  assert.deepEqual([renamed.capacity, renamed.successors, renamed.isDrained], [2, 0, false]);
  assert.deepEqual((await client.listNodeChoices()).items, [
    { id: 'main', name: 'Yard, north', available: true },
  ]);
  await assert.rejects(client.deleteClusterNode({ params }), { code: 'ActionNotAcceptable' });
  const unknown = { params: { id: 'nowhere' } };
  await assert.rejects(client.getClusterNode(unknown), { code: 'NotFound' });
  await assert.rejects(client.drainClusterNode(unknown), { code: 'NotFound' });
  await assert.rejects(client.returnClusterNode(unknown), { code: 'NotFound' });
  await assert.rejects(client.deleteClusterNode(unknown), { code: 'NotFound' });
  await assert.rejects(client.saveClusterNode({ params, body: { name: ' ' } }), { code: 'ValidationError' });
});

test('[R8.11] a node runs as many streams as its capacity allows; the form shows that and keeps its input', async () => {
  const body = { streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } };
  const second = await client.addStream({ body: { name: 'Second', ...body } });
  await assert.rejects(client.addStream({ body: { name: 'Third', ...body } }), { code: 'CLUSTER_NODE_ERR' });
  const context = await newPerson(browser);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/add-stream?source=demo:third`);
  const submit = page.getByRole('button', { name: 'Add the stream' });
  await submit.click();
  await page.getByText('This cluster node cannot be used.').waitFor();
  await client.deleteStream({ params: second });
  await submit.click();
  await page.waitForURL(/\/stream\/[a-z0-9]+\/view/);
  const [third] = (await client.listStreams()).items.filter((stream) => stream.uid !== uid);
  assert.equal(third?.streamSource, 'demo:third');
  await client.deleteStream({ params: { uid: third.uid } });
  await context.close();
});

test('[R7.39, R4.5] a drained node stops recording, warns until it is returned to service, and stays drained after a restart', async () => {
  await until(recorded, (durationMs) => durationMs > 0, 60_000);
  const params = { id: 'main' };
  await client.drainClusterNode({ params });
  await until(node, ({ state, activeStreams }) => state === 'drained' && activeStreams === 0, 60_000);
  assert.equal((await client.drainClusterNode({ params })).state, 'drained');
  assert.equal(await status(), 'disabled');
  assert.equal(await isDrainWarned(), true);
  assert.equal((await client.listNodeChoices()).items[0]?.available, false);
  assert.equal((await client.listStreams({ query: { onlyAvailable: true } })).total, 0);
  const durationMs = await recorded();
  await restart('main');
  assert.deepEqual([(await node()).state, await status()], ['drained', 'disabled']);
  assert.equal(await isDrainWarned(), true);
  assert.equal(await recorded(), durationMs);
  assert.equal((await client.returnClusterNode({ params })).state, 'working');
  assert.equal((await client.returnClusterNode({ params })).state, 'working');
  await until(status, (now) => now === 'running', 60_000);
  await until(recorded, (now) => now > durationMs, 60_000);
  assert.equal(await isDrainWarned(), false);
  const span = { start_time: Date.now() - 3_600_000, end_time: Date.now() };
  const { ranges } = await client.getArchiveRanges({ params: { uid }, query: span });
  assert.match(ranges.map((range) => range.status).join(' '), /fragment gap fragment/);
  const { items: audited } = await client.listAuditLogs({
    query: { target: 'main', action: 'drainClusterNode' },
  });
  assert.deepEqual(
    audited.filter(({ outcome }) => outcome === 'ok').map(({ user }) => user),
    ['admin', 'admin'],
  );
});

test('[R2.14, R4.11] a node is drained and returned on the page, with a warning in between', async () => {
  await client.saveClusterNode({ params: { id: 'main' }, body: { name: 'Yard, north' } });
  const context = await newPerson(browser);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  await page.goto(`${server.url}/ui/administration/cluster`);
  const card = page.getByRole('region', { name: 'Yard, north' });
  await card.getByText('Working').waitFor();
  await page.getByText('This server runs alone').waitFor();
  await page.getByText('A cluster needs a PostgreSQL database').waitFor();
  await assert.rejects(client.addClusterInvitation(), { code: 'ActionNotAcceptable' });
  await card.getByRole('button', { name: 'Drain Yard, north' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('No other node can take over its stream').waitFor();
  await dialog.getByRole('button', { name: 'Drain Yard, north' }).click();
  await card.getByText('It records nothing and shows nothing live until it returns').waitFor();
  await page.getByText('This node is drained.').waitFor();
  await card.getByRole('button', { name: 'Return Yard, north to service' }).click();
  await card.getByText('Working').waitFor();
  await until(
    () => page.getByText('This node is drained.').count(),
    (count) => count === 0,
  );
  await card.getByRole('button', { name: 'Rename Yard, north' }).click();
  await dialog.getByLabel('Name').fill('South');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'South' }).waitFor();
  assert.deepEqual(consoleErrors, []);
  await context.close();
});

test('[R6.8, R6.9] a drained node can be returned to service under any license, on the page too', async () => {
  await client.drainClusterNode({ params: { id: 'main' } });
  await license('standard');
  const context = await newPerson(browser);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/administration/cluster`);
  await page.getByRole('button', { name: 'Return main to service' }).click();
  await page.getByText('Enterprise only.').waitFor();
  await page.getByRole('link', { name: 'Show the license' }).waitFor();
  await context.close();
  await until(status, (now) => now === 'running', 60_000);
  await license('enterprise');
});

test('[R7.38] a server with a new id keeps its streams and drops its old name', async () => {
  await restart('other');
  const away = await node('main');
  assert.deepEqual([away.available, away.state, away.streams], [false, 'away', 0]);
  assert.equal((await node('other')).streams, 1);
  assert.equal((await client.getStream({ params: { uid } })).node.id, 'other');
  await client.deleteClusterNode({ params: { id: 'main' } });
  assert.deepEqual(
    (await client.listClusterNodes()).items.map(({ id }) => id),
    ['other'],
  );
});
