import assert from 'node:assert/strict';
import { createServer, connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { asNoStream, asStream, currentStream } from './stream-context.ts';

test('timers, promises and sockets belong to the stream that started them, and shared parts to none', async () => {
  const server = createServer((socket) => socket.end('x')).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const seen: (string | undefined)[] = [];
    const look = () => seen.push(currentStream());
    await asStream('a', async () => {
      await turn();
      look();
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        socket.on('data', look);
        socket.once('close', () => resolve());
      });
      await asNoStream(async () => {
        await turn();
        look();
      });
      look();
    });
    look();
    assert.deepEqual(seen, ['a', 'a', undefined, 'a', undefined]);
  } finally {
    server.close();
  }
});
