import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import type { WebhookNotification } from '@vidette/contract/notifications';
import { administratorOf, clientOf, until } from './api.ts';
import { footageIn, prepared } from './past-archive.ts';
import { signIn, startServer, type TestServer } from './server.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: WebhookNotification;
}

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let uid: string;
let receiver: Server;
let url: string;
let status = 204;
const received: Received[] = [];

before(async () => {
  receiver = createServer((request, response) => {
    void textOf(request).then((text) => {
      if (status === 204) {
        received.push({ headers: request.headers, text, body: JSON.parse(text) as WebhookNotification });
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-notify-'));
  server = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:' } }));
});

after(async () => {
  await server?.stop();
  receiver.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const annotate = (note: string) =>
  client.addAnnotation({ body: { streamId: uid, kind: 'plate', time: Date.now(), note } });

test('[R11.5] [R11.6] [R11.8] [R11.12] a rule notifies a signed webhook, and what waits survives a kill -9', async () => {
  const target = await client.addTarget({ body: { name: 'Hook', settings: { type: 'webhook', url } } });
  assert.equal((await client.testTarget({ params: { id: target.id } })).isAccepted, true);
  assert.equal(received.pop()?.body.type, 'test');
  const settings = { name: 'Plates', kinds: ['annotation' as const], streams: [uid], cooldownSeconds: 0 };
  await client.addRule({ body: { ...settings, targets: [target.id] } });

  await annotate('Truck 1');
  const [first] = await until(
    () => Promise.resolve(received),
    ({ length }) => length === 1,
  );
  assert.ok(first && target.secret);
  const { event, rule } = first.body;
  assert.deepEqual(
    [rule?.name, event?.kind, event?.streamName, event?.note],
    ['Plates', 'annotation', 'Gate', 'Truck 1'],
  );
  const key = Buffer.from(target.secret.slice('whsec_'.length), 'base64');
  const signed = `${first.body.id}.${String(first.headers['webhook-timestamp'])}.${first.text}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  assert.equal(first.headers['webhook-signature'], `v1,${signature}`);

  status = 503;
  await annotate('Truck 2');
  await annotate('Truck 3');
  const failing = await until(
    async () => (await client.listTargets()).items[0],
    (shown) => shown?.failure !== null && shown?.waiting === 2,
  );
  assert.deepEqual(failing?.failure, { code: 'status', status: 503 });
  await server.kill();
  status = 204;
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
  await until(
    () => Promise.resolve(received),
    ({ length }) => length === 3,
  );
  assert.deepEqual(
    received.map(({ body }) => body.event?.note),
    ['Truck 1', 'Truck 2', 'Truck 3'],
  );
  assert.equal(new Set(received.map(({ body }) => body.id)).size, 3);

  const preview = await client.previewRule({ body: settings });
  assert.deepEqual([preview.events, preview.total, preview.items.length], [3, 3, 3]);
  const limited = await client.previewRule({ body: { ...settings, cooldownSeconds: 3_600 } });
  assert.deepEqual([limited.events, limited.total], [3, 1]);
});

test('[R11.5] [R11.8] what a rule holds survives a kill and a full archive', async (t) => {
  const { dataDir: folderOfPast, cookie: ofPast, uid: past, folder } = await prepared(t, { count: 5 });
  let archived = await startServer({ dataDir: folderOfPast });
  t.after(() => archived.stop());
  let admin = clientOf(archived, ofPast);
  const { startTime, bytes } = await admin.getArchiveStats({ params: { uid: past } });
  assert.ok(startTime !== null);
  const hold = { leadSeconds: 1, trailSeconds: 1, days: 30 };
  await admin.addRule({ body: { name: 'Keep', kinds: ['annotation'], hold } });
  await admin.addAnnotation({ body: { streamId: past, kind: 'plate', time: startTime + 2_000 } });
  await archived.kill();
  archived = await startServer({ dataDir: folderOfPast });
  admin = clientOf(archived, ofPast);
  assert.equal((await admin.listHolds({ params: { uid: past } })).items.length, 1);

  const files = await footageIn(folder);
  const [held = '', second = ''] = files;
  await signIn(archived);
  const archive = { quotaBytes: Math.round(bytes * 0.75), holdPercent: 50 };
  await admin.saveConfiguration({ body: { values: { archive } } });
  const left = await until(
    () => footageIn(folder),
    ({ length }) => length < files.length,
  );
  assert.ok(left.includes(held) && !left.includes(second), left.join(' '));
});
