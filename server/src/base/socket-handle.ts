import type { SendHandle } from 'node:child_process';
import { Socket, type Server, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The operating system's side of a TCP connection, below `net.Socket`: what `process.send` passes to another process as
 * it is. A `net.Socket` would be read by each process on its way: Node starts to read it as soon as it has received it,
 * and drops those bytes when it sends it on. This file is the only one that knows these parts of Node, which has no
 * public name for them.
 */
export interface SocketHandle {
  reading: boolean;
  readStart(): number;
  readStop(): number;
  /** Closes this process's copy. The connection stays open while another process has one. Idempotent. */
  close(): void;
}

/** A connection that is not read any more, and the bytes that had been read but not used. */
export interface PausedConnection {
  readonly handle: SocketHandle;
  readonly unread: Buffer;
}

/**
 * Stops reading a connection, so that another process can read it from here on. Undefined for one that can't be passed
 * to another process: TLS, one through a tunnel, one with bytes that wait to be sent, a closed one.
 */
export function pauseConnection(connection: Duplex): PausedConnection | undefined {
  // `encrypted` marks a `TLSSocket`. Its class is not asked for: loading `node:tls` takes 3 MB in each process.
  if (!(connection instanceof Socket) || 'encrypted' in connection) return undefined;
  if (!connection.readable || !connection.writable || connection.writableLength > 0) return undefined;
  const { _handle: handle } = connection as unknown as { readonly _handle: SocketHandle | null };
  if (handle?.constructor.name !== 'TCP') return undefined;
  const unread: Buffer[] = [];
  // Reading what is buffered makes Node read on: so it comes first. No byte arrives before this function returns.
  for (let chunk = readFrom(connection); chunk; chunk = readFrom(connection)) unread.push(chunk);
  handle.reading = false;
  handle.readStop();
  return { handle, unread: Buffer.concat(unread) };
}

/** The opposite of `pauseConnection`, for a connection that could not be passed. */
export function resumeConnection(connection: Duplex, { handle, unread }: PausedConnection): void {
  if (connection.destroyed) return;
  if (unread.length > 0) connection.unshift(unread);
  handle.reading = true;
  handle.readStart();
}

/** The connection in the process that has received it. It is read from when a listener is added. */
export function connectionOf(handle: SocketHandle): Socket {
  return new Socket({ handle } as unknown as SocketConstructorOpts);
}

/** The listening socket of a server; undefined for one that does not listen on a TCP port. */
export function listenerOf(server: Server): SocketHandle | undefined {
  const { _handle: handle } = server as unknown as { readonly _handle: SocketHandle | null };
  return handle?.constructor.name === 'TCP' ? handle : undefined;
}

/** The number of its file descriptor in this process, which a child may inherit. */
export function descriptorOf(handle: SocketHandle): number | undefined {
  const { fd } = handle as unknown as { readonly fd?: number };
  return fd !== undefined && fd >= 0 ? fd : undefined;
}

/** As `process.send` takes it. */
export function sendable(handle: SocketHandle): SendHandle {
  return handle as unknown as SendHandle;
}

function readFrom(connection: Socket): Buffer | null {
  return connection.read() as Buffer | null;
}
