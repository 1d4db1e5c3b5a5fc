import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import type { Dial } from '../../dial.ts';

/** Connections of one source at a time: a playlist's segments, its keys, a few retries. */
const connectionsMax = 32;
/** Headers that speak of one connection only (RFC 9110, 7.6.1). */
const hopHeaders = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'upgrade'];

/**
 * The only way out for FFmpeg's HTTP. A playlist or a redirect may name any host, so every request, plain or by
 * CONNECT, goes through this proxy on the loopback interface, and each target is resolved, checked and dialled by
 * `dial`, which dials the very address that it checked.
 */
export class CheckedProxy {
  /** Why the newest request could not be sent on; it says more than the status FFmpeg sees. */
  failure: Fault | undefined;
  readonly #dial: Dial;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  constructor(dial: Dial) {
    this.#dial = dial;
    this.#server = createServer({ keepAlive: true }, (request, response) => {
      void this.#forward(request, response);
    });
    this.#server.maxConnections = connectionsMax;
    this.#server.on('connection', (socket: Socket) => this.#hold(socket));
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#tunnel(request, socket, head);
    });
  }

  /** Starts listening; resolves with the address to give to FFmpeg. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection. Idempotent. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Either side may vanish at any time; the other one is told by the end of its stream.
    socket.on('error', () => socket.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.parse(request.url ?? '');
    if (target?.protocol !== 'http:') {
      response.writeHead(400).end();
      return;
    }
    try {
      const upstream = await this.#connect(target.hostname, Number(target.port || 80));
      const outgoing = httpRequest({
        createConnection: () => upstream,
        method: request.method,
        path: target.pathname + target.search,
        headers: { ...withoutHops(request.headers), host: target.host, connection: 'close' },
        // Cameras send header lines that no standard allows.
        insecureHTTPParser: true,
      });
      outgoing.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      });
      outgoing.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      request.pipe(outgoing);
    } catch (error) {
      this.#refuse(error);
      response.writeHead(502).end();
    }
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#hold(socket);
    const target = URL.parse(`http://${request.url ?? ''}`);
    if (!target) {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    try {
      const upstream = await this.#connect(target.hostname, Number(target.port || 80));
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(socket);
      socket.pipe(upstream);
      socket.once('close', () => upstream.destroy());
      upstream.once('close', () => socket.destroy());
    } catch (error) {
      this.#refuse(error);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
  }

  async #connect(hostname: string, port: number): Promise<Socket> {
    const socket = await this.#dial(hostname.replace(/^\[|\]$/g, ''), port, false);
    this.#hold(socket);
    this.failure = undefined;
    return socket;
  }

  #refuse(error: unknown): void {
    this.failure =
      error instanceof Fault ? error : new Fault('EHOSTUNREACH', 'The connection failed.', { cause: error });
  }
}

function withoutHops(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.includes(name)));
}
