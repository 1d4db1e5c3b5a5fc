import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { WebhookNotification } from '@vidette/contract/notifications';
import { administratorOf, clientOf, until } from './api.ts';
import { brokerPassword, brokerUser, TestMosquitto, type BrokerObserver } from './mosquitto.ts';
import { startServer, type TestServer } from './server.ts';

let broker: TestMosquitto;
let observer: BrokerObserver;
let server: TestServer;
let client: Client;
let cookie: string;
let dataDir: string;
let uid: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-mqtt-'));
  broker = await TestMosquitto.start();
  observer = await broker.observe();
  server = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(server));
  const body = {
    name: 'Gate',
    streamSource: 'demo:',
    location: { name: 'Yard' },
    archive: { isEnable: true },
  };
  ({ uid } = await client.addStream({ body }));
});

after(async () => {
  await server?.stop();
  await observer?.close();
  await broker?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const save = (values: Record<string, unknown>) => client.saveConfiguration({ body: { values } });
const stateTopic = (of = uid) => `vidette/streams/${of}/state`;
const isMember = (name: string, value: unknown) => (state: unknown) =>
  Reflect.get(Object(state) as object, name) === value;

interface Announced {
  readonly device: Record<string, unknown>;
  readonly components: Record<string, Record<string, unknown>>;
}

/** The topic that announces a device, and its message. */
function announced(name: string): { topic: string; message: Announced } | undefined {
  for (const [topic, payload] of observer.topics) {
    if (!topic.startsWith('homeassistant/device/')) continue;
    const message = JSON.parse(payload.toString()) as Announced;
    if (message.device['name'] === name) return { topic, message };
  }
  return undefined;
}

async function fieldOf(call: Promise<unknown>): Promise<readonly string[] | undefined> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof ApiError);
  return failure.fields[0] && [failure.fields[0].path, failure.fields[0].code];
}

test('[R11.13] bad addresses and topics are rejected at their field', async () => {
  for (const url of ['http://broker:1883', 'mqtt://user:secret@broker', 'mqtt://broker/path', 'mqtt:']) {
    assert.equal(
      (await fieldOf(save({ 'mqtt.url': url })))?.toString().split(',')[0],
      'values.mqtt.url',
      url,
    );
  }
  for (const topic of ['', 'a/#', '+', '/a', 'a//b', 'a/', '$SYS', 'a'.repeat(101)]) {
    const settings = { type: 'mqtt' as const, topic };
    const field = await fieldOf(client.addTarget({ body: { name: 'Yard', settings } }));
    assert.equal(field?.[0], 'settings.topic', topic);
    assert.equal((await fieldOf(save({ 'mqtt.topic': topic })))?.[0], 'values.mqtt.topic', topic);
  }
});

test('[R11.13] a broker that is wrong is told, and one whose certificate is not trusted gets no password', async () => {
  const failure = async () => {
    // A target is tested at most every three seconds.
    const settings = { type: 'mqtt' as const, topic: 'a'.repeat(100) };
    const { id } = await client.addTarget({ body: { name: 'Yard', settings } });
    const { failure: found } = await client.testTarget({ params: { id } });
    await client.deleteTarget({ params: { id } });
    return found?.code;
  };
  const isLogged = (problem: string) =>
    until(
      () => server.output.includes(`"problem":"${problem}"`),
      (isThere) => isThere,
    );
  assert.equal(await failure(), 'not-configured');
  const credentials = { 'mqtt.user': brokerUser, 'mqtt.password': brokerPassword };
  await save({ 'mqtt.url': broker.url, ...credentials });
  await isLogged('tls');
  assert.equal(await failure(), 'tls');
  await save({ 'mqtt.ca': broker.ca, 'mqtt.password': 'wrong' });
  await isLogged('broker-credentials');
  assert.equal(await failure(), 'broker-credentials');
  const { values } = await client.getConfiguration();
  assert.equal(Reflect.get(Object(values['mqtt']) as object, 'password'), '***');
});

test('[R11.13] Home Assistant finds status, motion, a still and a switch, which records or does not', async () => {
  await save({ 'mqtt.password': brokerPassword, 'mqtt.stillSeconds': 1 });
  await observer.waitFor('vidette/status', (status) => status === 'online');
  await observer.waitFor(stateTopic(), isMember('status', 'running'));
  const { topic, message } = (await until(
    () => announced('Gate'),
    (found) => found !== undefined,
  )) as NonNullable<ReturnType<typeof announced>>;
  assert.match(topic, new RegExp(`^homeassistant/device/vidette_[0-9a-f]{12}/${uid}/config$`));
  assert.equal(message.device['suggested_area'], 'Yard');
  assert.deepEqual(
    Object.values(message.components).map(({ platform }) => platform),
    ['sensor', 'binary_sensor', 'switch', 'binary_sensor', 'camera'],
  );
  await observer.waitFor(`vidette/streams/${uid}/motion`, (motion) => motion === 'OFF');
  await observer.waitFor('vidette/problems', (problems) => typeof problems === 'object');
  const still = await until(
    () => observer.topics.get(`vidette/streams/${uid}/still`),
    (found) => found !== undefined,
  );
  assert.deepEqual([still?.[0], still?.[1]], [0xff, 0xd8], 'a JPEG');

  const isRecorded = async () => (await client.getStream({ params: { uid } })).archive.isEnable;
  await observer.publish(`vidette/streams/${uid}/recording/set`, 'TOGGLE');
  await observer.publish(`vidette/streams/${uid}/recording/set`, 'OFF');
  await observer.waitFor(stateTopic(), isMember('recording', 'OFF'));
  assert.equal(await isRecorded(), false);
  await observer.publish(`vidette/streams/${uid}/recording/set`, 'ON');
  await observer.waitFor(stateTopic(), isMember('recording', 'ON'));
  assert.equal(await isRecorded(), true);
  const { items } = await client.listAuditLogs({ query: { action: 'mqttRecording' } });
  assert.deepEqual(
    items.map(({ user, target, outcome }) => [user, target, outcome]),
    [
      [null, uid, 'ok'],
      [null, uid, 'ok'],
    ],
  );

  await save({ 'mqtt.allowCommands': false });
  await until(
    () => announced('Gate')?.message.components['recording'],
    (component) => component !== undefined && Object.keys(component).join() === 'platform',
  );
  await observer.publish(`vidette/streams/${uid}/recording/set`, 'OFF');
  // Published after the command: a server that took it would have changed the stream by then.
  await client.saveStream({ params: { uid }, body: { name: 'Gate 1' } });
  await until(
    () => announced('Gate 1'),
    (found) => found !== undefined,
  );
  assert.equal(await isRecorded(), true);
});

test('[R11.13] after a restart of the broker all states are published again, and no notification is lost', async () => {
  const settings = { type: 'mqtt' as const, topic: 'yard/night' };
  const { id } = await client.addTarget({ body: { name: 'Yard', settings } });
  assert.equal((await client.testTarget({ params: { id } })).isAccepted, true);
  const rule = { name: 'Plates', kinds: ['annotation' as const], streams: [uid], cooldownSeconds: 0 };
  await client.addRule({ body: { ...rule, targets: [id] } });
  await broker.kill();
  await observer.close();
  const note = 'Truck 1';
  await client.addAnnotation({ body: { streamId: uid, kind: 'plate', time: Date.now(), note } });
  await until(
    async () => (await client.listTargets()).items[0],
    (target) => target?.failure?.code === 'unreachable' || target?.failure?.code === 'reset',
  );
  await broker.listen();
  observer = await broker.observe();
  await observer.waitFor('vidette/status', (status) => status === 'online');
  await observer.waitFor(stateTopic(), isMember('status', 'running'));
  const received = await until(
    () => observer.notifications.get('vidette/notifications/yard/night') ?? [],
    (messages) => messages.length > 0,
  );
  const [body] = received.map((text) => WebhookNotification.strict().parse(JSON.parse(text)));
  assert.match(body?.id ?? '', /^r\d+-e\d+-t\d+$/);
  assert.equal(body?.event?.note, note);
});

test('[R11.13] the last will tells that the server is gone, and streams that were removed meanwhile disappear', async () => {
  const second = await client.addStream({ body: { name: 'Door', streamSource: 'demo:' } });
  const door = await until(
    () => announced('Door'),
    (found) => found !== undefined,
  );
  await server.kill();
  await observer.waitFor('vidette/status', (status) => status === 'offline');
  server = await startServer({ dataDir, env: { VIDETTE_MQTT_ENABLED: 'false' } });
  client = clientOf(server, cookie);
  await client.deleteStream({ params: { uid: second.uid }, query: {} });
  await server.stop();
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
  await observer.waitFor('vidette/status', (status) => status === 'online');
  await observer.waitUntilCleared(door?.topic ?? '');
  await observer.waitUntilCleared(stateTopic(second.uid));
  assert.ok(announced('Gate 1') && announced('Vidette'));

  await save({ 'mqtt.topic': 'cameras/home' });
  await observer.waitFor('cameras/home/status', (status) => status === 'online');
  await observer.waitFor(`cameras/home/streams/${uid}/state`, isMember('status', 'running'));
  await observer.waitUntilCleared(stateTopic());
  await server.stop();
  await observer.waitFor('cameras/home/status', (status) => status === 'offline');
});
