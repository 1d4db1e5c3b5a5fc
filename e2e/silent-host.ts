import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A host on the loopback interface that never answers. */
export interface SilentHost {
  readonly port: number;
  /** Number of accepted connections. */
  readonly connections: number;
  stop(): Promise<void>;
}

/** Accepts every connection, reads what is sent, and never answers. */
export async function startSilentHost(): Promise<SilentHost> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Listens with a backlog of one connection and then hangs, so that the system accepts no more. */
const hung = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
/** The system accepts one more than the backlog. */
const roomInBacklog = 2;

/**
 * Does not even accept a connection: a connection attempt is neither answered nor refused, as with a host that
 * is switched off.
 */
export async function startUnreachableHost(): Promise<SilentHost> {
  const child = spawn(process.execPath, ['-e', hung], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  const fillers = Array.from({ length: roomInBacklog }, () => connect(port, '127.0.0.1'));
  await Promise.all(fillers.map((filler) => once(filler, 'connect')));
  return {
    port,
    connections: 0,
    async stop() {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
