import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { close, serve } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const password = 'blue kettle 42 lamp';

let server: TestServer;
let admin: Client;
let user: Client;
let camera: FakeCamera;
/** A camera that redirects every client to the metadata service of a cloud. */
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

/** This machine by IP address, by name, and in other notations. */
const itself = (port: number) => [
  `rtsp://127.0.0.1:${port}/live/main`,
  `rtsp://localhost:${port}/live/main`,
  `rtsp://[::ffff:127.0.0.1]:${port}/live/main`,
  `http://127.0.0.1:${port}/`,
];

test('[R10.1] this machine itself can be a source only for administrators', async () => {
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

test('[R10.1] a user who may edit an administrator’s stream gains no access to this machine by it', async () => {
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

test('[R10.1] a redirect is checked like an address, even for administrators', async () => {
  await assert.rejects(admin.probeStream({ query: { url: redirecting.url } }), { code: 'STREAM_SOURCE_ERR' });
  const { uid } = await admin.addStream({ body: { name: 'Sends on', streamSource: redirecting.url } });
  const { failureReason } = await until(
    () => admin.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  assert.match(failureReason ?? '', /link-local/);
});

test('[R5.5] [R10.1] link-local, multicast and reserved addresses are refused for everyone, and so are other schemes', async () => {
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

/** Accepts connections on the loopback interface and counts them. */
async function startListener(onConnection: (socket: Socket, count: number) => void = () => {}) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket, ++connections);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}

/** Tries an address in all three ways: a probe, a preview, and a stream up to its failure, whose reason is returned. */
async function tryAll(url: string): Promise<string> {
  await assert.rejects(admin.probeStream({ query: { url } }));
  await assert.rejects(admin.previewStream({ query: { url } }));
  const { uid } = await admin.addStream({ body: { name: 'Elsewhere', streamSource: url } });
  const { failureReason } = await until(
    () => admin.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  await admin.deleteStream({ params: { uid } });
  return failureReason ?? '';
}

test('[R10.1] addresses in a playlist or manifest are requested through the checking proxy or not at all', async () => {
  const target = await startListener();
  const names = [
    `httpproxy://127.0.0.1:${target.port}/x`,
    `tcp://127.0.0.1:${target.port}`,
    `tls://127.0.0.1:${target.port}`,
  ];
  const asked: string[] = [];
  const manifest = (
    url: string,
  ) => `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S">
<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" codecs="avc1.42c01e" bandwidth="1"><BaseURL>${url}</BaseURL>
<SegmentTemplate timescale="1" duration="2" initialization="i" media="$Number$"/></Representation></AdaptationSet></Period></MPD>`;
  const web = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}`);
    const [kind, index] = (request.url ?? '').slice(1).split(/[.-]/);
    const name = names[Number(index)] ?? '';
    if (kind === 'variants')
      response.end(['#EXTM3U', ...names.flatMap((url) => ['#EXT-X-STREAM-INF:BANDWIDTH=1', url])].join('\n'));
    else if (kind === 'segments')
      response.end(
        [
          '#EXTM3U',
          '#EXT-X-TARGETDURATION:1',
          ...names.flatMap((url) => ['#EXTINF:1,', url]),
          '#EXT-X-ENDLIST',
        ].join('\n'),
      );
    else if (kind === 'manifest') response.end(manifest(name));
    else if (kind === 'breaks')
      response.end(
        manifest(
          `http://127.0.0.1:${web.port}/a HTTP/1.1&#13;&#10;X-Smuggled: 1&#13;&#10;&#13;&#10;POST /b HTTP/1.1&#13;&#10;X-Smuggled: 1&#13;&#10;&#13;&#10;`,
        ),
      );
    else response.writeHead(404).end();
  });
  try {
    for (const path of [
      'variants.m3u8',
      'segments.m3u8',
      'manifest-0.mpd',
      'manifest-1.mpd',
      'manifest-2.mpd',
      'breaks.mpd',
    ])
      await tryAll(`http://127.0.0.1:${web.port}/${path}`);
    assert.equal(target.connections, 0);
    assert.ok(asked.some((request) => request.startsWith('GET /breaks.mpd')));
    for (const request of asked) assert.doesNotMatch(request, /^POST|^X-Smuggled/im);
  } finally {
    close(web.server);
    target.close();
  }
});

test('[R10.1] an RTSP server that sends invalid data and then redirects can’t lead FFmpeg elsewhere', async () => {
  const target = await startListener();
  const camera = await startListener((socket, count) =>
    socket.once('data', () =>
      // The first connection of each attempt is from our engine, which then hands over to FFmpeg.
      socket.end(
        count % 2 === 1
          ? 'hello, hello, hello, hello\r\n\r\n'
          : `RTSP/1.0 302 Found\r\nCSeq: 1\r\nLocation: rtsp://127.0.0.1:${target.port}/x\r\n\r\n`,
      ),
    ),
  );
  try {
    await tryAll(`rtsp://127.0.0.1:${camera.port}/x`);
    assert.ok(camera.connections >= 4, 'FFmpeg was asked, too');
    assert.equal(target.connections, 0);
  } finally {
    camera.close();
    target.close();
  }
});

test('[R10.1] endless redirects end with an error, in both engines, after a few connections', async () => {
  const reasons: string[] = [];
  for (const location of [
    (port: number) => `rtsp://127.0.0.1:${port}/live`,
    (port: number, count: number) => `rtsp://127.0.0.1:${port}/live${count}`,
    () => 'tcp://127.0.0.1:1/',
  ]) {
    const camera = await startListener((socket, count) =>
      socket.on('data', (bytes) => {
        const request = bytes.toString();
        const cseq = /CSeq: (\d+)/.exec(request)?.[1] ?? '0';
        const port = (socket.address() as AddressInfo).port;
        socket.write(
          request.startsWith('OPTIONS')
            ? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\n\r\n`
            : `RTSP/1.0 302 Found\r\nCSeq: ${cseq}\r\nLocation: ${location(port, count)}\r\n\r\n`,
        );
      }),
    );
    try {
      reasons.push(await tryAll(`rtsp://127.0.0.1:${camera.port}/live`));
      // Three ways with at most six connections each, and one more attempt if the stream was fast.
      assert.ok(camera.connections <= 24, `${camera.connections} connections`);
    } finally {
      camera.close();
    }
  }
  assert.match(reasons[0] ?? '', /in a loop/);
  assert.match(reasons[1] ?? '', /more than 5 times/);
  assert.match(reasons[2] ?? '', /not RTSP/);
});
