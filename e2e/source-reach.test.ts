import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from './api.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const password = 'blue kettle 42 lamp';

let server: TestServer;
let admin: Client;
let user: Client;
let camera: FakeCamera;
/** A camera that sends whoever asks on to where a cloud keeps its keys. */
let redirecting: FakeCamera;

before(async () => {
  const clip = await encodeClip();
  camera = await startFakeCamera({ clip });
  redirecting = await startFakeCamera({ clip, redirectTo: 'rtsp://169.254.169.254/latest' });
  server = await startServer();
  ({ client: admin } = await administratorOf(server));
  await admin.addUser({ body: { name: 'user', password, maxStreamCreation: -1 } });
  user = clientOf(server, await signIn(server, 'user', password));
});

after(async () => {
  await server?.stop();
  await Promise.all([camera?.stop(), redirecting?.stop()]);
});

/** This machine by its number, by a name, and in other clothes. */
const itself = (port: number) => [
  `rtsp://127.0.0.1:${port}/live/main`,
  `rtsp://localhost:${port}/live/main`,
  `rtsp://[::ffff:127.0.0.1]:${port}/live/main`,
  `http://127.0.0.1:${port}/`,
];

test('[R10.1] this machine itself is a source for administrators only', async () => {
  for (const url of itself(camera.port)) {
    await assert.rejects(user.probeStream({ query: { url } }), { code: 'STREAM_SOURCE_ERR' }, url);
  }
  const { uid: refused } = await user.addStream({ body: { name: 'Mine', streamSource: camera.url } });
  const { failureReason } = await until(
    () => user.getStream({ params: { uid: refused } }),
    ({ status }) => status === 'failed',
  );
  assert.match(failureReason ?? '', /Only an administrator/);
  assert.equal(camera.connections, 0);
  await admin.probeStream({ query: { url: camera.url } });
  assert.equal(camera.connections, 1);
});

test('[R10.1] who may edit an administrator’s stream gains no way to this machine by it', async () => {
  const { uid } = await admin.addStream({ body: { name: 'Gate', streamSource: camera.url } });
  const items = [{ user: 'user', view: true, edit: true }];
  await admin.saveStreamPermissions({ params: { uid }, body: { items } });
  const isRunning = () =>
    until(
      () => user.getStream({ params: { uid } }),
      ({ status }) => status === 'running',
    );
  await isRunning();
  const query = { url: camera.url, stream_id: uid };
  await assert.rejects(user.probeStream({ query }), { code: 'STREAM_SOURCE_ERR' });
  await user.saveStream({ params: { uid }, body: { name: 'Renamed' } });
  await isRunning();
  await user.saveStream({ params: { uid }, body: { streamSource: `${camera.url}?other` } });
  const { failureReason } = await until(
    () => user.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  assert.match(failureReason ?? '', /Only an administrator/);
});

test('[R10.1] a redirect is judged like an address, an administrator’s too', async () => {
  await assert.rejects(admin.probeStream({ query: { url: redirecting.url } }), { code: 'STREAM_SOURCE_ERR' });
  const { uid } = await admin.addStream({ body: { name: 'Sends on', streamSource: redirecting.url } });
  const { failureReason } = await until(
    () => admin.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  assert.match(failureReason ?? '', /link-local/);
});

test('[R5.5] [R10.1] link-local, group and reserved addresses are refused for everybody, and so are other schemes', async () => {
  for (const host of [
    '169.254.169.254',
    '224.0.0.1',
    '0.0.0.0',
    '240.0.0.1',
    '[fe80::1]',
    '100.100.100.200',
  ]) {
    for (const scheme of ['rtsp', 'http']) {
      const query = { url: `${scheme}://${host}/x` };
      await assert.rejects(admin.probeStream({ query }), { code: 'STREAM_SOURCE_ERR' }, query.url);
    }
  }
  for (const url of [
    'file:///etc/passwd',
    'exec:ls',
    'concat:a|b',
    'gopher://10.0.0.1/',
    'tcp://10.0.0.1:1',
  ]) {
    const hasCode = { code: 'STREAM_SOURCE_ERR' };
    await assert.rejects(admin.probeStream({ query: { url } }), hasCode, url);
    await assert.rejects(admin.addStream({ body: { name: 'x', streamSource: url } }), hasCode, url);
  }
});
