import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ManualClock } from '../base/manual-clock.ts';
import { selfSigned } from '../system/smtp-fixture.ts';
import { firstRequestMs, ConnectionLimiter } from './connection-limiter.ts';

interface Opened {
  readonly clock: ManualClock;
  readonly come: () => Promise<Socket>;
  /** Connections that the server holds. */
  readonly held: () => Promise<number>;
}

async function open(t: TestContext, certificate?: { cert: Buffer; key: Buffer }): Promise<Opened> {
  const clock = new ManualClock();
  const server = new ConnectionLimiter(clock).open((_, response) => response.end('here'), certificate);
  server.on('upgrade', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const come = async () => {
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    await Promise.all([once(socket, 'connect'), accepted]);
    return socket;
  };
  const held = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return { clock, come, held };
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

async function ask(socket: Socket): Promise<string> {
  socket.write(request);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString('latin1').slice(0, 15);
}

test('a connection without a request is closed after ten seconds, one with a request is not', async (t) => {
  const { clock, come } = await open(t);
  const [silent, slow, asking] = [await come(), await come(), await come()];
  slow.write(request.slice(0, 10));
  assert.equal(await ask(asking), 'HTTP/1.1 200 OK');
  const gone = [once(silent, 'close'), once(slow, 'close')];
  clock.advance(firstRequestMs - 1);
  assert.deepEqual([silent.destroyed, slow.destroyed], [false, false]);
  clock.advance(1);
  await Promise.all(gone);
  clock.advance(5 * firstRequestMs);
  assert.equal(await ask(asking), 'HTTP/1.1 200 OK');
});

test('under TLS the time starts with the connection, and continues after the handshake', async (t) => {
  const { certificate, key } = selfSigned();
  const { clock, come } = await open(t, { cert: Buffer.from(certificate), key: Buffer.from(key) });
  const [raw, mute, asking] = [await come(), await come(), await come()];
  const secure = async (socket: Socket) => {
    const tls = connectTls({ socket, ca: certificate, servername: '', host: '127.0.0.1' });
    tls.on('error', () => {});
    await once(tls, 'secureConnect');
    return tls;
  };
  await secure(mute);
  const asked = await secure(asking);
  assert.equal(await ask(asked), 'HTTP/1.1 200 OK');
  const gone = [once(raw, 'close'), once(mute, 'close')];
  clock.advance(firstRequestMs);
  await Promise.all(gone);
  assert.equal(await ask(asked), 'HTTP/1.1 200 OK');
});

test('silent connections of one network displace each other, but none that sends requests', async (t) => {
  const { come, held } = await open(t);
  const asking = await come();
  assert.equal(await ask(asking), 'HTTP/1.1 200 OK');
  const silent: Socket[] = [];
  for (let count = 0; count < 257; count++) silent.push(await come());
  const [first] = silent;
  if (first && !first.destroyed) await once(first, 'close');
  assert.equal(await held(), 257);
  // New clients are served, however many are silent.
  assert.equal(await ask(await come()), 'HTTP/1.1 200 OK');
  assert.equal(await ask(asking), 'HTTP/1.1 200 OK');
});

test('an upgrade is ignored at addresses without a WebSocket', async (t) => {
  const { come } = await open(t);
  const upgrade = (path: string, protocol = 'websocket') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
  for (const [path, protocol] of [
    ['/'],
    ['/ui/'],
    ['/v1/streams'],
    ['/v1/stream/abc/live/index.m3u8'],
    ['/v1/stream//live'],
    ['/v1/wall/x'],
    ['/v1/wall', 'h2c'],
  ] as const) {
    const socket = await come();
    socket.write(upgrade(path, protocol));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200 OK/, path);
  }
  const socket = await come();
  socket.write(upgrade('/v1/wall?x=1'));
  socket.on('data', () => assert.fail('it was treated as a plain request'));
  assert.equal(await ask(await come()), 'HTTP/1.1 200 OK');
});
