import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock as clock } from '../base/clock.ts';
import type { SocketHandle } from '../base/socket-handle.ts';
import { eventually, turns, until } from '../base/until-fixture.ts';
import { SupervisedProcess } from './supervised-process.ts';

const frontProgram = new URL('./fixtures/passing-front.ts', import.meta.url);
const engineProgram = new URL('./fixtures/echo-engine.ts', import.meta.url);

/** A front that passes its connections, and an engine that takes them, both processes of this one. */
async function scene(t: TestContext) {
  const port = await freePort();
  const { execPath } = process;
  const options = { clock, execPath, silentMs: 60_000, report: () => {}, onFailed: () => {} };
  const engine = new SupervisedProcess({
    ...options,
    name: 'E',
    program: engineProgram,
    args: () => [],
  });
  const handles: SocketHandle[] = [];
  const front = new SupervisedProcess({
    ...options,
    name: 'F',
    program: frontProgram,
    args: () => [String(port)],
    onPass: (pid, message, handle) => {
      handles.push(handle);
      if (pid === engine.pid) engine.pass(message, handle);
      else handle.close();
    },
  });
  engine.start();
  front.start();
  t.after(() => Promise.all([engine.stop(), front.stop()]));
  await eventually(
    async () => {
      const probe = connect(port, '127.0.0.1');
      await once(probe, 'connect').finally(() => probe.destroy());
    },
    () => true,
  );
  return { engine, front, handles, open: (pid: number) => new Client(port, pid) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Client {
  readonly socket: Socket;
  received = '';
  isClosed = false;

  constructor(port: number, pid: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => (this.received += text));
    this.socket.on('error', () => {});
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.write(`GET /${pid} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n`);
  }
}

test('[R15.3] no byte of a connection is lost or repeated on its way to another process, which alone has it then', async (t) => {
  const { engine, open } = await scene(t);
  const pid = engine.pid ?? 0;
  const clients = Array.from({ length: 20 }, () => open(pid));
  let sent = '';
  // While the front, the supervisor and the engine have it, one after the other.
  for (let round = 0; round < 200; round++) {
    const text = `${round} ${'x'.repeat(500)};`;
    sent += text;
    for (const { socket } of clients) socket.write(text);
    await turns(1);
  }
  const expected = `${pid} ${sent}`;
  await until(() => clients.every(({ received }) => received.length >= expected.length), 'the echo');
  for (const { received } of clients) assert.ok(received === expected);
  engine.kill();
  await until(() => clients.every(({ isClosed }) => isClosed), 'the end of the connections');
});

test('[R15.3] a connection for a process that has ended, or ends without having taken it, is closed', async (t) => {
  const { engine, handles, open } = await scene(t);
  const pid = engine.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  const waiting = Array.from({ length: 5 }, () => open(pid));
  await until(() => handles.length === waiting.length, 'the connections are on their way');
  process.kill(pid, 'SIGKILL');
  await until(() => waiting.every(({ isClosed }) => isClosed), 'the end of the connections');
  const late = open(pid);
  await until(() => late.isClosed, 'the end of a connection for a process that is gone');
  assert.equal([...waiting, late].map(({ received }) => received).join(''), '');
});
