import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { connectionBelow, prepareMessage, prepareSocket, socketOptions } from './web-socket.ts';

/** A client of the library, and the server's side of its connection. */
async function connect(t: TestContext): Promise<{ client: WebSocket; socket: WebSocket }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...socketOptions });
  const accepted = once(server, 'connection');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [socket, request] = await accepted;
  prepareSocket(socket, request.socket);
  await once(client, 'open');
  t.after(() => {
    client.terminate();
    server.close();
  });
  return { client, socket };
}

test('a prepared message of any size arrives whole, between what the library sends', async (t) => {
  const { client, socket } = await connect(t);
  const arrived: string[] = [];
  client.on('message', (data: Buffer, isBinary) =>
    arrived.push(isBinary ? `${data.length} ${new Set(data).size}` : data.toString()),
  );
  client.on('ping', (data) => arrived.push(data.toString()));
  const sizes = [0, 1, 125, 126, 65_535, 65_536, 3_000_000];
  for (const size of sizes) {
    const half = Buffer.alloc(size >> 1, 7);
    const { frame, payload } = prepareMessage([half, Buffer.alloc(size - half.length, 7)], size);
    assert.equal(payload.length, size);
    socket.send(`before ${size}`);
    connectionBelow(socket).write(frame);
    socket.ping(`after ${size}`);
  }
  socket.close(1000, 'end');
  const [code, reason] = await once(client, 'close');
  assert.deepEqual([code, String(reason)], [1000, 'end']);
  assert.deepEqual(
    arrived,
    sizes.flatMap((size) => [`before ${size}`, `${size} ${Math.min(size, 1)}`, `after ${size}`]),
  );
});

test('a socket that was not prepared has no known connection', () => {
  assert.throws(() => connectionBelow({} as WebSocket), RangeError);
});
