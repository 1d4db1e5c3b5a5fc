import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ClientChannel } from 'ssh2';
import { ManualClock } from '../base/manual-clock.ts';
import { selfSigned } from '../system/smtp-fixture.ts';
import { TunnelConnection } from '../tunnel/tunnel-connection.ts';
import { TunnelClients } from './tunnel-clients.ts';
import type { Certificate } from './connection-limiter.ts';

interface Door {
  readonly clock: ManualClock;
  /** A client's end of a new connection. */
  readonly come: (trustsProxy: boolean) => { far: Duplex; near: TunnelConnection };
}

/** A server that reports how it identifies its callers; `trustProxy` is what it trusts on its own port. */
async function newDoor(t: TestContext, trustProxy: boolean, certificate?: Certificate): Promise<Door> {
  const options = { trustProxy, keepAliveTimeout: 60_000, forceCloseConnections: true };
  const server = (certificate
    ? Fastify({ ...options, https: certificate })
    : Fastify(options)) as unknown as FastifyInstance;
  const clock = new ManualClock();
  const clients = new TunnelClients(server, clock, () => certificate);
  server.get('/who', ({ ip, protocol, host }) => ({ ip, protocol, host }));
  await server.ready();
  t.after(() => server.close());
  const come = (trustsProxy: boolean) => {
    const [far, channel] = duplexPair();
    t.after(() => far.destroy());
    const near = new TunnelConnection({
      channel: channel as unknown as ClientChannel,
      line: new Socket(),
      remoteAddress: '192.0.2.7',
      remotePort: 4711,
      trustsProxy,
      traffic: { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 },
      clock,
    });
    clients.admit(near);
    return { far, near };
  };
  return { clock, come };
}

const claims =
  'x-forwarded-for: 10.9.9.9, 203.0.113.8\r\nx-forwarded-proto: https\r\nx-forwarded-host: evil\r\n';

/** Asks on an open connection, which stays open, how the server identifies it. */
async function ask(line: Duplex, headers = ''): Promise<{ ip: string; protocol: string; host: string }> {
  line.write(`GET /who HTTP/1.1\r\nhost: cameras.example.org\r\n${headers}\r\n`);
  let text = '';
  while (!text.includes('}')) text += String(((await once(line, 'data')) as [Buffer])[0]);
  return JSON.parse(text.slice(text.indexOf('{'))) as { ip: string; protocol: string; host: string };
}

for (const trustProxy of [false, true]) {
  test(`[R10.9] headers identify a client only if a proxy on the relay was declared; own port: ${trustProxy}`, async (t) => {
    const { come } = await newDoor(t, trustProxy);
    const plain = { ip: '192.0.2.7', protocol: 'http', host: 'cameras.example.org' };
    const { far } = come(false);
    assert.deepEqual(await ask(far), plain);
    assert.deepEqual(await ask(far, claims), plain);
    const declared = come(true).far;
    assert.deepEqual(await ask(declared, claims), { ...plain, ip: '203.0.113.8', protocol: 'https' });
    assert.deepEqual(await ask(declared, 'x-forwarded-for: unknown\r\n'), plain);
    assert.deepEqual(await ask(declared), plain);
  });
}

test('[R10.9] with a certificate the relay carries TLS, and the client’s address is still known', async (t) => {
  const { certificate, key } = selfSigned();
  const { come, clock } = await newDoor(t, false, { cert: Buffer.from(certificate), key: Buffer.from(key) });
  const line = connectTls({ socket: come(false).far, ca: certificate, servername: '', host: '127.0.0.1' });
  await once(line, 'secureConnect');
  assert.deepEqual(await ask(line, claims), {
    ip: '192.0.2.7',
    protocol: 'https',
    host: 'cameras.example.org',
  });
  line.destroy();

  const mute = come(false).near;
  clock.advance(20_000);
  assert.equal(mute.destroyed, true, 'a client without a TLS hello is disconnected');
  const stranger = come(false);
  stranger.far.write('GET / HTTP/1.1\r\n\r\n');
  await once(stranger.near, 'close');
});

test('[R10.9] a client that stops sending is disconnected, as on the server’s own port', async (t) => {
  const { come, clock } = await newDoor(t, false);
  const { far, near } = come(false);
  await ask(far);
  clock.advance(30_000);
  await ask(far);
  clock.advance(59_000);
  assert.equal(near.destroyed, false);
  const closed = once(near, 'close');
  clock.advance(5_000);
  await closed;
});
