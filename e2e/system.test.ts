import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { startFakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { startServer, type TestServer } from './server.ts';

const token = 'scrape-me-8f2c61';

let server: TestServer;
let admin: Client;
let uid: string;

before(async () => {
  server = await startServer({ env: { VIDETTE_METRICS_TOKEN: token } });
  admin = (await administratorOf(server)).client;
  ({ uid } = await admin.addStream({ body: { name: 'Demo', streamSource: 'demo:' } }));
});

after(() => server?.stop());

function scrape(authorization?: string): Promise<Response> {
  return fetch(`${server.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
}

test('[R10.10] metrics require their token', async () => {
  for (const authorization of [undefined, 'Bearer wrong', `Basic ${token}`]) {
    const reply = await scrape(authorization);
    assert.equal(reply.status, 401, authorization);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    assert.doesNotMatch(await reply.text(), /vidette_/);
  }
});

test('[R10.10] metrics describe the process, the server and every stream', async () => {
  const text = await until(
    async () => (await scrape(`Bearer ${token}`)).text(),
    (metrics) =>
      metrics.includes(`vidette_stream_up{stream="${uid}"} 1`) &&
      new RegExp(`^vidette_stream_received_bytes_total\\{stream="${uid}"\\} [1-9]`, 'm').test(metrics),
  );
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  assert.equal(value('vidette_streams'), 1);
  assert.equal(value('vidette_license_valid'), 1);
  assert.ok(value('process_resident_memory_bytes') > 1e6);
  assert.ok(value('vidette_archive_disk_total_bytes') > 0);
  assert.equal(value(`vidette_stream_reconnects_total{stream="${uid}"}`), 0);
  for (const line of text.split('\n')) assert.match(line, /^(#.*|[a-z_:][a-z0-9_:]*(\{.*\})? \S+|)$/i);
  assert.doesNotMatch(text, new RegExp(token));
});

test('[R7.46] the configuration is read and written; live keys take effect immediately, the rest are reported as pending', async () => {
  const before = await admin.getConfiguration();
  assert.equal((await fetch(`${server.url}/.well-known/security.txt`)).status, 404);
  assert.deepEqual(before.environmentKeys.sort(), ['host', 'metrics.token', 'overload.yields', 'port']);
  assert.equal(before.pendingRestart, false);
  assert.doesNotMatch(JSON.stringify(before), new RegExp(token));
  const values = {
    app: { title: 'Warehouse', securityContact: 'mailto:security@example.org' },
    smtp: { host: 'mail.example.org', password: 'hunter2hunter2' },
  };
  assert.deepEqual(await admin.saveConfiguration({ body: { values } }), { pendingRestart: false });
  const page = await (await fetch(`${server.url}/ui/auth`)).text();
  assert.match(page, /<title>Warehouse<\/title>/);
  assert.match(page, /"passwordResetAllowed":true/);
  const securityText = await fetch(`${server.url}/.well-known/security.txt`);
  assert.match(await securityText.text(), /^Contact: mailto:security@example\.org\nExpires: \S+Z\n$/);
  assert.match(securityText.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8/);
  const restart = await admin.saveConfiguration({ body: { values: { source: { probeSeconds: 20 } } } });
  assert.equal(restart.pendingRestart, true);
  const after = await admin.getConfiguration();
  assert.ok(after.pendingRestart && after.restartKeys.includes('source.probeSeconds'));
  assert.doesNotMatch(JSON.stringify(after), /hunter2/);
  const wrong = admin.saveConfiguration({ body: { values: { smtp: { port: 'high' } } } });
  await assert.rejects(
    wrong,
    (error: unknown) => error instanceof ApiError && error.fields[0]?.path === 'values.smtp.port',
  );
  const { items } = await admin.listAuditLogs({ query: { action: 'saveConfiguration' } });
  assert.deepEqual(items.at(-1)?.details, {
    keys: ['app.title', 'app.securityContact', 'smtp.host', 'smtp.password'],
    changes: {
      'app.title': ['Vidette', 'Warehouse'],
      'app.securityContact': [null, 'mailto:security@example.org'],
      'smtp.host': [null, 'mail.example.org'],
      'smtp.password': [null, '***'],
    },
  });
  assert.doesNotMatch(server.output + JSON.stringify(items), /hunter2/);
});

test('[R7.34, R7.45] metrics of the server and of a stream include their histories', async () => {
  const { now, histories } = await until(
    () => admin.getAdminStats(),
    (stats) => stats.now.receivedBitsPerSecond > 0,
  );
  assert.deepEqual([now.streams, now.streamsRunning, now.viewers], [1, 1, 0]);
  assert.deepEqual([now.streamsFailed, now.failed, now.streamsRecorded], [0, [], 1]);
  assert.ok(now.cores >= 1 && now.memoryLimitBytes > now.memoryBytes);
  assert.ok(now.memoryBytes > 1e6 && now.cpuPercent > 0 && (now.diskTotalBytes ?? 0) > 0);
  for (const { name, times, values } of histories) {
    assert.equal(times.length, values.length, name);
    assert.ok(times.length > 0, name);
  }
  const newest = (name: string) => histories.find((history) => history.name === name)?.values.at(-1) ?? -1;
  assert.ok(newest('received') > 0 && newest('memory') > 1e6 && newest('cpu') > 0);
  assert.deepEqual(Object.keys(await admin.getSystemStats()).sort(), Object.keys(now).sort());

  const newestFrames = ({ histories: all }: Awaited<ReturnType<Client['getStreamStats']>>) =>
    all.find(({ name }) => name === 'frames')?.values.at(-1) ?? 0;
  // The first sample may begin before the stream does.
  const stream = await until(
    () => admin.getStreamStats({ params: { uid } }),
    (stats) => newestFrames(stats) > 1,
  );
  assert.equal(stream.reconnects, 0);
  assert.deepEqual(
    stream.histories.map(({ name, unit }) => `${name} ${unit}`),
    ['received bit/s', 'frames 1/s', 'damagedFrames 1/s', 'lostPackets 1/s', 'viewers ', 'writeLatency ms'],
  );
});

test('[R10.1, R10.10] lost packets are counted, per stream and in the metrics', async () => {
  const loses = (frame: number) => frame === 3 || frame === 5;
  const camera = await startFakeCamera({ clip: await encodeClip(), loses });
  try {
    const { uid: lossy } = await admin.addStream({ body: { name: 'Lossy', streamSource: camera.url } });
    const stats = await until(
      () => admin.getStreamStats({ params: { uid: lossy } }),
      ({ videoFrames }) => videoFrames > 10,
    );
    assert.ok(stats.lostPackets >= 2, `${stats.lostPackets}`);
    assert.ok(stats.damagedFrames >= 1 && stats.damagedFrames <= 2, `${stats.damagedFrames}`);
    const text = await (await scrape(`Bearer ${token}`)).text();
    const [, lost] =
      new RegExp(`^vidette_stream_lost_packets_total\\{stream="${lossy}"\\} (\\d+)$`, 'm').exec(text) ?? [];
    assert.equal(Number(lost), stats.lostPackets);
    assert.equal((await admin.getStreamStats({ params: { uid } })).lostPackets, 0);
    await admin.deleteStream({ params: { uid: lossy }, query: { purge: true } });
  } finally {
    await camera.stop();
  }
});
