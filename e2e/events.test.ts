import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from './api.ts';
import { followEvents } from './event-follower.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip, type CameraClip } from './rtsp/fake-media.ts';
import { administrator, signIn, startServer, type TestServer } from './server.ts';

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let clip: CameraClip;
let camera: FakeCamera;
let uid: string;

before(async () => {
  clip = await encodeClip({ framesPerSecond: 10 });
  camera = await startFakeCamera({ clip });
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-journal-'));
  server = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: camera.url } }));
});

after(async () => {
  await server?.stop();
  await camera?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const outages = async () =>
  (await client.listJournal({ query: { streams: [uid], kinds: ['stream-down'] } })).items;

test('[R11.3] a camera that goes dark is one entry, across a kill -9, until it comes back', async () => {
  await until(
    () => client.getStream({ params: { uid } }),
    ({ status }) => status === 'running',
  );
  await camera.stop();
  const [dark] = await until(outages, ({ length }) => length > 0);
  assert.ok(dark);
  assert.equal(dark.isOngoing, true);
  assert.equal(dark.endTime, null);
  assert.equal(dark.streamName, 'Gate');
  assert.match(dark.detail.reason ?? '', /^(The|127\.0\.0\.1) .*\.$/);
  await server.kill();
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
  camera = await startFakeCamera({ clip, port: camera.port });
  const ended = await until(outages, (found) => found.every(({ isOngoing }) => !isOngoing));
  assert.deepEqual(
    ended.map(({ id, startTime }) => ({ id, startTime })),
    [{ id: dark.id, startTime: dark.startTime }],
  );
  assert.ok((ended[0]?.endTime ?? 0) > dark.startTime);
});

test('[R11.3] annotations and failed sign-ins are entries; marked as reviewed they leave the badge', async () => {
  const time = Date.now();
  await client.addAnnotation({ body: { streamId: uid, kind: 'plate', time, note: 'Truck 42' } });
  const guess = () =>
    fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: administrator.name, password: 'a wrong password' }),
    });
  await guess();
  await guess();
  const { items } = await client.listJournal({ query: { text: ['truck'] } });
  assert.deepEqual(
    items.map(({ kind, note, detail }) => [kind, note, detail.code, detail.user]),
    [['annotation', 'Truck 42', 'plate', administrator.name]],
  );
  const failed = await client.listJournal({ query: { kinds: ['sign-in-failed'] } });
  assert.equal(failed.items.length, 1);
  assert.equal(failed.items[0]?.detail.figures['count'], 2);
  const before = await client.getJournalSummary();
  await client.reviewJournal({ body: { ids: [failed.items[0]?.id ?? 0] } });
  assert.equal((await client.getJournalSummary()).unreviewed, before.unreviewed - 1);
  await client.reviewJournal({ body: { until: Date.now() + 60_000 } });
  assert.deepEqual(await client.getJournalSummary(), { unreviewed: 0, isMore: false });
  await assert.rejects(client.reviewJournal({ body: {} }), { code: 'ValidationError' });
});

test('[R11.1] a client is told what changes and what it may see, continues after a break, and nothing more once a right or its session is gone', async () => {
  const abort = new AbortController();
  const password = 'blue kettle 42 lamp';
  await client.addUser({ body: { name: 'ann', password, mustChangePassword: false } });
  await client.saveStreamPermissions({
    params: { uid },
    body: { items: [{ user: 'ann', view: true, archive: false, share: false, edit: false }] },
  });
  const ann = { cookie: await signIn(server, 'ann', password), origin: server.url };
  const admin = followEvents(server, { cookie }, abort.signal);
  const one = followEvents(server, ann, abort.signal);
  await until(one.names, (names) => names.includes('reload'));
  await until(admin.names, (names) => names.includes('reload'));

  const { uid: secret } = await client.addStream({ body: { name: 'Secret', streamSource: 'demo:' } });
  const tells = (data: string) => (found: typeof one.events) =>
    found.some((event) => event.data.includes(data));
  await until(() => admin.events, tells(secret));
  await client.pauseStream({ body: { uid } });
  await until(() => one.events, tells('"paused"'));
  assert.ok(!JSON.stringify(one.events).includes(secret));
  await client.addMosaic({
    body: { name: 'Mine', layout: { columns: 1, rows: 1, cells: [] }, isShared: false },
  });
  await until(admin.names, (names) => names.includes('mosaics'));
  assert.ok(!one.names().includes('mosaics'));

  const last = one.events.at(-1)?.id ?? '';
  await client.resumeStream({ body: { uid } });
  await until(
    () => one.events,
    (found) => found.length > 0 && found.at(-1)?.id !== last,
  );
  const again = followEvents(server, { ...ann, 'last-event-id': last }, abort.signal);
  await until(() => again.events, tells(uid));
  assert.ok(!again.names().includes('reload'));

  await client.saveStreamPermissions({ params: { uid }, body: { items: [] } });
  await until(one.names, (names) => names.includes('account'));
  const toldSoFar = one.events.filter(({ name }) => name === 'statuses').length;
  const adminSoFar = admin.events.length;
  await client.pauseStream({ body: { uid } });
  await until(() => admin.events.slice(adminSoFar), tells('"paused"'));
  assert.equal(one.events.filter(({ name }) => name === 'statuses').length, toldSoFar);

  await client.blockUser({ params: { login: 'ann' } });
  await until(one.isOver, (isOver) => isOver);
  assert.equal((await fetch(`${server.url}/v1/events`, { headers: ann })).status, 401);
  abort.abort();
  await admin.done;
});

/** Between the browser and the server: it can fall silent, or refuse, for the event stream alone. */
async function startCut(target: string) {
  const polls: string[] = [];
  const held = new Set<() => void>();
  let isCut = false;
  let followed = 0;
  const { port: targetPort } = new URL(target);
  const proxy = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (url.startsWith('/v1/streams/statuses')) polls.push(url);
    const isEvents = url.startsWith('/v1/events');
    if (isEvents && isCut) {
      response.writeHead(503).end();
      return;
    }
    const onward = httpRequest(
      { host: '127.0.0.1', port: Number(targetPort), path: url, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        if (!isEvents) return;
        followed++;
        held.add(() => answer.unpipe(response));
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    polls,
    followed: () => followed,
    /** Open connections fall silent, and new ones are refused. */
    cut() {
      isCut = true;
      for (const silence of held) silence();
      held.clear();
    },
    mend: () => (isCut = false),
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

test('[R11.2] the page shows changes without polls, polls while the event stream is silent, and stops when it is back', async (t) => {
  const proxy = await startCut(server.url);
  const browser = await launchBrowser();
  t.after(async () => {
    await browser.close();
    proxy.close();
  });
  const context = await newPerson(browser);
  await signInByCookie(context, proxy.url, cookie);
  const page = await context.newPage();
  const polled = async (run: () => Promise<unknown>) => {
    const before = proxy.polls.length;
    await run();
    return proxy.polls.length - before;
  };
  await client.resumeStream({ body: { uid } });
  await page.goto(`${proxy.url}/ui/streams`);
  await until(proxy.followed, (count) => count > 0);
  const toggle = async (isPaused: boolean) => {
    if (isPaused) await client.pauseStream({ body: { uid } });
    else await client.resumeStream({ body: { uid } });
    const mark = page.locator('[data-status="paused"]').first();
    await mark.waitFor({ state: isPaused ? 'visible' : 'detached' });
  };
  await toggle(true);
  // What was under way when the stream began may still arrive.
  const quiet = await polled(async () => {
    for (const isPaused of [false, true, false, true]) await toggle(isPaused);
  });
  assert.ok(quiet <= 1, `${quiet} polls while the event stream works`);
  proxy.cut();
  const count = proxy.polls.length;
  await until(
    () => proxy.polls.length,
    (now) => now >= count + 2,
  );
  await toggle(false);
  const followed = proxy.followed();
  proxy.mend();
  await until(proxy.followed, (now) => now > followed);
  await toggle(true);
  assert.ok((await polled(() => toggle(false))) <= 1);
});
