import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../base/clock.ts';
import { ManualClock } from '../../../base/manual-clock.ts';
import type { Dial } from '../../../dial/dial.ts';
import { CheckedProxy } from './checked-proxy.ts';

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const direct: Dial = async (host, port) => {
  const socket = connect(port, host);
  await once(socket, 'connect');
  return socket;
};

async function openProxy(
  t: TestContext,
  dial: Dial,
  clock = systemClock,
): Promise<(port: number) => Promise<IncomingMessage>> {
  const proxy = new CheckedProxy(dial, clock);
  const { port: proxyPort } = new URL(await proxy.listen());
  t.after(() => proxy.close());
  return async (port) => {
    const asked = request({
      port: proxyPort,
      host: '127.0.0.1',
      path: `http://127.0.0.1:${port}/`,
      headers: { 'user-agent': proxy.userAgent },
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  };
}

test('header lines that cannot be forwarded are left out and do not crash the process', async (t) => {
  const camera = createTcpServer((socket: Socket) => {
    socket.once('data', () =>
      socket.end(
        'HTTP/1.1 200 OK\r\nX-Odd: a\x01b\r\nContent-Type: video/mp2t\r\nContent-Length: 4\r\n\r\nabcd',
      ),
    );
    socket.on('error', () => socket.destroy());
  });
  const ask = await openProxy(t, direct);
  const answer = await ask(await listening(t, camera));
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['content-type'], 'video/mp2t');
  assert.equal(answer.headers['x-odd'], undefined);
  assert.equal(Buffer.concat(await answer.toArray()).toString(), 'abcd');
});

test('[R10.1] a single JPEG that is requested repeatedly leaves no listener behind', async (t) => {
  const still = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);
  const camera = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(still);
  });
  const clock = new ManualClock();
  const signals = new Set<AbortSignal>();
  let asked = 0;
  const dial: Dial = (host, port, tls, signal) => {
    asked++;
    if (signal) signals.add(signal);
    return direct(host, port, tls);
  };
  const ask = await openProxy(t, dial, clock);
  const answer = await ask(await listening(t, camera));
  answer.resume();
  while (asked < 30) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  const [signal] = signals;
  assert.ok(signal && signals.size === 1);
  // One pause and a few requests whose connections are still closing.
  const listeners = getEventListeners(signal, 'abort').length;
  assert.ok(listeners < 15, `${listeners} listeners after ${asked} requests`);
  answer.destroy();
});
