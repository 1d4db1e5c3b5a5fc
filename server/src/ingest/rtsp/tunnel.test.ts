import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import type { Fault } from '../../base/fault.ts';
import { createDial } from '../../dial/dial.ts';
import { RtspSession } from './session.ts';

const mediaType = 'application/x-rtsp-tunnelled';
const ok = `HTTP/1.0 200 OK\r\nContent-Type: ${mediaType}\r\n\r\n`;
const credentials = { username: 'admin', password: 'p"a ss' };

interface TunnelPeer {
  readonly port: number;
  /** Headers of the HTTP requests, in order. */
  readonly heads: string[];
  /** The bytes received through the tunnel, decoded. */
  readonly requests: string[];
  readonly sockets: Set<Socket>;
  readonly names: string[];
}

/** A camera that answers each HTTP request with `answer`, and RTSP in the tunnel with 404. */
async function startPeer(
  context: TestContext,
  answer: (head: string, socket: Socket) => string,
  onServed: (post: Socket) => void = () => {},
): Promise<TunnelPeer> {
  const peer = {
    port: 0,
    heads: [],
    requests: [],
    sockets: new Set<Socket>(),
    names: [],
  } as {
    -readonly [Key in keyof TunnelPeer]: TunnelPeer[Key];
  };
  let get: Socket | undefined;
  const server = createServer((socket) => {
    peer.sockets.add(socket);
    let text = '';
    let head: string | undefined;
    socket.on('error', () => {});
    socket.on('close', () => peer.sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (head === undefined) {
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        head = text.slice(0, end);
        text = text.slice(end + 4);
        peer.heads.push(head);
        const reply = answer(head, socket);
        if (socket.destroyed) return;
        if (head.startsWith('GET')) get = socket;
        if (reply !== '') socket.write(reply);
      }
      if (text === '' || text.length % 4 !== 0) return;
      const request = Buffer.from(text, 'base64').toString();
      text = '';
      peer.requests.push(request);
      const cseq = /CSeq: (\d+)/.exec(request)?.[1];
      get?.write(
        `RTSP/1.0 ${request.startsWith('OPTIONS') ? '200 OK' : '404 Not Found'}\r\nCSeq: ${cseq}\r\n\r\n`,
      );
      onServed(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of peer.sockets) socket.destroy();
    server.close();
  });
  peer.port = (server.address() as AddressInfo).port;
  return peer;
}

/**
 * How a session ends at a peer whose name resolves to this machine once and to another address from then on.
 */
async function faultOf(peer: TunnelPeer, options: { replyTimeoutMs?: number; signal?: AbortSignal } = {}) {
  const lookup = (name: string) => {
    peer.names.push(name);
    return Promise.resolve([peer.names.length === 1 ? '127.0.0.1' : '169.254.169.254']);
  };
  const session = new RtspSession({
    url: `rtsph://cam.test:${peer.port}/live?channel=1`,
    credentials,
    clock: systemClock,
    dial: createDial({ clock: systemClock, allowLoopback: true, lookup }),
    replyTimeoutMs: options.replyTimeoutMs ?? 10_000,
  });
  const sink = {
    tracks() {},
    sample() {},
    awaiting() {},
    lost() {},
    note() {},
  };
  const outcome = await session.run(sink, options.signal ?? new AbortController().signal).then(
    (cause) => cause,
    (fault: Fault) => fault,
  );
  while (peer.sockets.size > 0) {
    const [socket] = peer.sockets;
    await new Promise<void>((resolve) => (socket ? socket.once('close', () => resolve()) : resolve()));
  }
  return outcome as Fault;
}

const field = (head: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

test('[R10.1] RTSP is sent in base64 by POST and received raw by GET, both at the address that was checked once', async (t) => {
  const peer = await startPeer(t, (head) => (head.startsWith('GET') ? ok : ''));
  assert.equal((await faultOf(peer)).code, 'HTTP_NOT_FOUND');
  const [get = '', post = ''] = peer.heads;
  assert.equal(peer.heads.length, 2);
  assert.match(get, /^GET \/live\?channel=1 HTTP\/1\.0\r\n/);
  assert.match(post, /^POST \/live\?channel=1 HTTP\/1\.0\r\n/);
  assert.equal(field(get, 'accept'), mediaType);
  assert.equal(field(post, 'content-type'), mediaType);
  assert.equal(field(post, 'content-length'), '32767');
  for (const head of [get, post]) {
    assert.equal(field(head, 'host'), `cam.test:${peer.port}`);
    assert.equal(field(head, 'pragma'), 'no-cache');
    assert.equal(field(head, 'cache-control'), 'no-cache');
  }
  assert.ok((field(get, 'x-sessioncookie') ?? '').length >= 16);
  assert.equal(field(get, 'x-sessioncookie'), field(post, 'x-sessioncookie'));
  const uri = `rtsp://cam.test:${peer.port}/live?channel=1`;
  assert.deepEqual(
    peer.requests.map((request) => request.split('\r\n', 1)[0]),
    [`OPTIONS ${uri} RTSP/1.0`, `DESCRIBE ${uri} RTSP/1.0`],
  );
  assert.deepEqual(peer.names, ['cam.test']);
});

test('a 401 on the GET is answered with Digest, and the POST carries its own authorization', async (t) => {
  const peer = await startPeer(t, (head, socket) => {
    if (head.startsWith('POST')) return '';
    if (field(head, 'authorization')) return ok;
    setImmediate(() => socket.end());
    return 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="cam", nonce="abc", qop="auth"\r\nContent-Length: 2\r\n\r\nno';
  });
  assert.equal((await faultOf(peer)).code, 'HTTP_NOT_FOUND');
  assert.deepEqual(
    peer.heads.map((head) => head.split(' ', 1)[0]),
    ['GET', 'GET', 'POST'],
  );
  for (const [index, head] of peer.heads.slice(1).entries()) {
    const answer = field(head, 'authorization') ?? '';
    const part = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(answer)?.[1] ?? '';
    const secret = md5(`${credentials.username}:cam:${credentials.password}`);
    const [method = ''] = head.split(' ', 1);
    const expected = md5(
      `${secret}:abc:0000000${index + 1}:${part('cnonce')}:auth:${md5(`${method}:/live?channel=1`)}`,
    );
    assert.equal(part('response'), expected, method);
    assert.equal(part('nc'), `0000000${index + 1}`);
  }
  // Authorization requested by the HTTP server is not sent to the RTSP server, which requested none.
  assert.ok(peer.requests.every((request) => field(request, 'authorization') === undefined));
  assert.deepEqual(peer.names, ['cam.test']);
});

test('Basic is answered too, and rejected credentials are tried once', async (t) => {
  const refusal = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="cam"\r\n\r\n';
  const peer = await startPeer(t, () => refusal);
  assert.equal((await faultOf(peer)).code, 'HTTP_UNAUTHORIZED');
  assert.equal(peer.heads.length, 2);
  const answer = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  assert.equal(field(peer.heads[1] ?? '', 'authorization'), `Basic ${answer}`);
});

test('a redirect is rejected with a message, wherever it leads', async (t) => {
  for (const location of ['http://169.254.169.254/', '/other', 'rtsp://cam.test/']) {
    const peer = await startPeer(t, () => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`);
    const fault = await faultOf(peer);
    assert.equal(fault.code, 'STREAM_SOURCE_ERR');
    assert.match(fault.message, /redirects/);
    assert.equal(peer.heads.length, 1);
  }
});

test('a server that opens no tunnel is reported, and no connection stays open', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['RTSP/1.0 400 Bad Request\r\n\r\n', 'ProbeError'],
    ['SSH-2.0-x\r\n\r\n', 'ProbeError'],
    ['HTTP/1.0 404 Not Found\r\n\r\n', 'HTTP_NOT_FOUND'],
    ['HTTP/1.0 503 Busy\r\n\r\n', 'ProbeError'],
    // A header without end.
    [`HTTP/1.0 200 OK\r\n${'X: y\r\n'.repeat(40_000)}`, 'ProbeError'],
    // A page where the tunnel should begin.
    [`${ok}<html>${'x'.repeat(1000)}`, 'ProbeError'],
    [`${ok}${'x'.repeat(1_000_000)}`, 'ProbeError'],
  ];
  for (const [reply, code] of cases) {
    const peer = await startPeer(t, (head) => (head.startsWith('GET') ? reply : ''));
    assert.equal((await faultOf(peer)).code, code, reply.slice(0, 60));
  }
});

test('a silent camera is disconnected at the time limit, or when the stream is stopped', async (t) => {
  const silent = await startPeer(t, () => '');
  const fault = await faultOf(silent, { replyTimeoutMs: 50 });
  assert.equal(fault.code, 'EHOSTUNREACH');
  const stop = new AbortController();
  const stopped = await startPeer(t, () => {
    setImmediate(() => stop.abort());
    return '';
  });
  assert.equal(await faultOf(stopped, { signal: stop.signal }), 'stopped' as never);
});

test('[R10.1] a camera that closes the POST after each request receives the next one in a new POST', async (t) => {
  let [posts, gets] = [0, 0];
  const peer = await startPeer(
    t,
    (head) => {
      if (head.startsWith('GET')) gets++;
      else posts++;
      return head.startsWith('GET') ? ok : '';
    },
    (post) => post.destroy(),
  );
  assert.equal((await faultOf(peer)).code, 'HTTP_NOT_FOUND');
  assert.ok(peer.requests.some((request) => request.startsWith('DESCRIBE')));
  assert.equal(gets, 1);
  assert.ok(posts >= 2, `${posts} POST`);
  const cookies = new Set(peer.heads.map((head) => field(head, 'x-sessioncookie')));
  assert.equal(cookies.size, 1);
});

test('a new POST that is rejected ends the connection with the message of the rejection', async (t) => {
  let posts = 0;
  const peer = await startPeer(
    t,
    (head) => {
      if (head.startsWith('GET')) return ok;
      // The camera has forgotten the session's cookie.
      return ++posts > 1 ? 'HTTP/1.1 403 Forbidden\r\n\r\n' : '';
    },
    (post) => post.destroy(),
  );
  assert.equal((await faultOf(peer)).code, 'HTTP_UNAUTHORIZED');
  assert.equal(posts, 2);
});

test('a rejected or closed POST ends the connection with the message of the rejection', async (t) => {
  const refusing = await startPeer(t, (head) =>
    head.startsWith('GET') ? ok : 'HTTP/1.1 403 Forbidden\r\n\r\n',
  );
  assert.equal((await faultOf(refusing)).code, 'HTTP_UNAUTHORIZED');
  const closing = await startPeer(t, (head, socket) => {
    if (head.startsWith('POST')) socket.destroy();
    return head.startsWith('GET') ? ok : '';
  });
  assert.equal((await faultOf(closing)).code, 'EHOSTUNREACH');
});
