import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Cancel, Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import { createServer } from '../base/node-http.ts';
import { isSocketAddress } from './socket-addresses.ts';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** From the first byte of a connection to the end of its first request's head, including TLS. */
export const firstRequestMs = 10_000;
/** A request must arrive completely within this time; it covers the upload of the body, not the answer. */
const requestTimeoutMs = 30_000;
/** How long a connection may stay open without further requests. */
const idleMs = 60_000;
/** Pipelined requests of one connection; browsers send one at a time. */
const requestsAtOnceMax = 8;
/**
 * Connections without a request yet, and those idle between requests. Beyond this limit a new one closes the
 * oldest.
 */
const silentLimits = { perNetwork: 256, total: 1_024 };
const restingLimits = { perNetwork: 256, total: 2_048 };

type Listener = Server | TlsServer;

/** A connection as the server received it; one through the tunnel has an address, too. */
type ClientConnection = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
};

interface TrackedConnection {
  readonly connection: ClientConnection;
  readonly network: string;
  asked: number;
  cancel: Cancel | undefined;
}

/**
 * Admission control before Fastify: how long a connection may stay open without a request, and how many
 * requests may be pending on one. Without it five hundred silent connections would lock out every user, and a
 * megabyte of pipelined requests would be started in one turn of the event loop.
 */
export class ConnectionLimiter {
  readonly #clock: Clock;
  readonly #trackedConnections = new WeakMap<object, TrackedConnection>();
  readonly #silent = new ConnectionPool(silentLimits);
  readonly #resting = new ConnectionPool(restingLimits);
  /** TCP connections under TLS, by remote endpoint: a TLS socket does not name its TCP connection. */
  readonly #beforeTls = new Map<string, TrackedConnection>();
  readonly #tlsServers: TlsServer[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server that Fastify listens with; it uses TLS when there is a certificate. */
  open(serve: RequestListener, certificate: Certificate | undefined): Listener {
    const options = {
      headersTimeout: firstRequestMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: firstRequestMs / 4,
      // Any other address answers as if no upgrade had been requested (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers, url = '' }: IncomingMessage) =>
        headers.upgrade?.toLowerCase() === 'websocket' && isSocketAddress(url),
    };
    const onRequest: RequestListener = (request, response) => {
      const tracked = this.#arrive(request.socket);
      if (tracked.asked >= requestsAtOnceMax) {
        tracked.connection.destroy();
        return;
      }
      this.#begin(tracked);
      response.once('close', () => this.#finish(tracked));
      serve(request, response);
    };
    const server = certificate
      ? this.#tlsServer({ ...options, cert: certificate.cert, key: certificate.key }, onRequest)
      : createServer(options, onRequest);
    server.on('connection', (connection: ClientConnection) => {
      const tracked = this.#track(connection);
      if (!certificate) return;
      const place = placeOf(connection);
      this.#beforeTls.set(place, tracked);
      connection.once('close', () => this.#beforeTls.delete(place));
    });
    server.on('secureConnection', (connection: ClientConnection) => {
      const below = this.#beforeTls.get(placeOf(connection));
      if (below) this.#trackedConnections.set(connection, below);
      else this.#track(connection);
    });
    server.on('upgrade', (_, connection: ClientConnection) => this.#begin(this.#arrive(connection)));
    return server;
  }

  /** New connections get this certificate; open ones keep theirs. */
  renew({ cert, key }: Certificate): void {
    for (const server of this.#tlsServers) server.setSecureContext({ cert, key });
  }

  #tlsServer(options: ServerOptions, onRequest: RequestListener): TlsServer {
    const server = createTlsServer({ ...options, handshakeTimeout: firstRequestMs }, onRequest);
    this.#tlsServers.push(server);
    return server;
  }

  #track(connection: ClientConnection): TrackedConnection {
    const network = networkOf(connection.remoteAddress ?? '');
    const tracked: TrackedConnection = { connection, network, asked: 0, cancel: undefined };
    this.#trackedConnections.set(connection, tracked);
    tracked.cancel = this.#clock.after(firstRequestMs, () => connection.destroy());
    this.#silent.add(tracked);
    connection.once('close', () => {
      tracked.cancel?.();
      this.#silent.delete(connection);
      this.#resting.delete(connection);
    });
    return tracked;
  }

  #arrive(connection: ClientConnection): TrackedConnection {
    const tracked = this.#trackedConnections.get(connection) ?? this.#track(connection);
    tracked.cancel?.();
    tracked.cancel = undefined;
    return tracked;
  }

  #begin(tracked: TrackedConnection): void {
    tracked.asked++;
    this.#silent.delete(tracked.connection);
    this.#resting.delete(tracked.connection);
  }

  #finish(tracked: TrackedConnection): void {
    tracked.asked--;
    if (tracked.asked === 0 && !tracked.connection.destroyed) this.#resting.add(tracked);
  }
}

/** Connections of one kind, oldest first, with their limits. */
class ConnectionPool {
  readonly #limits: { readonly perNetwork: number; readonly total: number };
  /** Each with its network: a socket forgets its address when it closes. */
  readonly #all = new Map<ClientConnection, string>();
  readonly #byNetwork = new Map<string, Set<ClientConnection>>();

  constructor(limits: { readonly perNetwork: number; readonly total: number }) {
    this.#limits = limits;
  }

  /** Adds one and closes the oldest of its network, or of all, when there are too many. */
  add({ connection, network }: TrackedConnection): void {
    const neighbours = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, neighbours.add(connection));
    this.#all.set(connection, network);
    const isCrowded = neighbours.size > this.#limits.perNetwork;
    if (!isCrowded && this.#all.size <= this.#limits.total) return;
    const [oldest] = isCrowded ? neighbours : this.#all.keys();
    if (!oldest) return;
    this.delete(oldest);
    oldest.destroy();
  }

  delete(connection: ClientConnection): void {
    const network = this.#all.get(connection);
    if (network === undefined) return;
    this.#all.delete(connection);
    const neighbours = this.#byNetwork.get(network);
    neighbours?.delete(connection);
    if (neighbours?.size === 0) this.#byNetwork.delete(network);
  }
}

function placeOf({ remoteAddress = '', remotePort = 0 }: ClientConnection): string {
  return `${remoteAddress} ${remotePort}`;
}
