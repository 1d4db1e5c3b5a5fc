import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Cancel, Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import { isSocketAddress } from './socket-addresses.ts';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** From the first byte of a connection to the end of its first request's head, TLS included. */
export const firstRequestMs = 10_000;
/** A request must have come whole within this; only the body's upload counts, not the answer. */
const requestTimeoutMs = 30_000;
/** A connection on which nothing is asked any more. */
const idleMs = 60_000;
/** Requests of one connection that wait for their answers; browsers send one at a time. */
const requestsAtOnceMax = 8;
/** Connections that have not asked yet, and those that rest between requests. Who comes beyond puts the oldest out. */
const silentLimits = { perNetwork: 256, total: 1_024 };
const restingLimits = { perNetwork: 256, total: 2_048 };

type Listener = Server | TlsServer;

/** A connection as the server was given it; one through the tunnel has an address, too. */
type Line = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
};

interface Visit {
  readonly line: Line;
  readonly network: string;
  asked: number;
  cancel: Cancel | undefined;
}

/**
 * Admission control before Fastify: how long a connection may stay open without a request, and how many requests may be pending
 * on one. Without it five hundred silent connections would lock everyone out, and a megabyte of requests
 * behind each other would be begun in one turn of the event loop.
 */
export class FrontDoor {
  readonly #clock: Clock;
  readonly #visits = new WeakMap<object, Visit>();
  readonly #silent = new Crowd(silentLimits);
  readonly #resting = new Crowd(restingLimits);
  /** TCP connections under TLS, by where they come from: the TLS socket over one does not say which it is. */
  readonly #beforeTls = new Map<string, Visit>();
  readonly #tlsServers: TlsServer[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server that Fastify listens with; it speaks TLS when there is a certificate. */
  open(serve: RequestListener, certificate: Certificate | undefined): Listener {
    const options = {
      headersTimeout: firstRequestMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: firstRequestMs / 4,
      // Any other address answers as if no upgrade had been asked for (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers, url = '' }: IncomingMessage) =>
        headers.upgrade?.toLowerCase() === 'websocket' && isSocketAddress(url),
    };
    const onRequest: RequestListener = (request, response) => {
      const visit = this.#arrive(request.socket);
      if (visit.asked >= requestsAtOnceMax) {
        visit.line.destroy();
        return;
      }
      this.#begin(visit);
      response.once('close', () => this.#finish(visit));
      serve(request, response);
    };
    const server = certificate
      ? this.#tlsServer({ ...options, cert: certificate.cert, key: certificate.key }, onRequest)
      : createServer(options, onRequest);
    server.on('connection', (line: Line) => {
      const visit = this.#welcome(line);
      if (!certificate) return;
      const place = placeOf(line);
      this.#beforeTls.set(place, visit);
      line.once('close', () => this.#beforeTls.delete(place));
    });
    server.on('secureConnection', (line: Line) => {
      const below = this.#beforeTls.get(placeOf(line));
      if (below) this.#visits.set(line, below);
      else this.#welcome(line);
    });
    server.on('upgrade', (_, line: Line) => this.#begin(this.#arrive(line)));
    return server;
  }

  /** New connections get this one; those that are open stay as they are. */
  renew({ cert, key }: Certificate): void {
    for (const server of this.#tlsServers) server.setSecureContext({ cert, key });
  }

  #tlsServer(options: ServerOptions, onRequest: RequestListener): TlsServer {
    const server = createTlsServer({ ...options, handshakeTimeout: firstRequestMs }, onRequest);
    this.#tlsServers.push(server);
    return server;
  }

  #welcome(line: Line): Visit {
    const network = networkOf(line.remoteAddress ?? '');
    const visit: Visit = { line, network, asked: 0, cancel: undefined };
    this.#visits.set(line, visit);
    visit.cancel = this.#clock.after(firstRequestMs, () => line.destroy());
    this.#silent.add(visit);
    line.once('close', () => {
      visit.cancel?.();
      this.#silent.delete(line);
      this.#resting.delete(line);
    });
    return visit;
  }

  #arrive(line: Line): Visit {
    const visit = this.#visits.get(line) ?? this.#welcome(line);
    visit.cancel?.();
    visit.cancel = undefined;
    return visit;
  }

  #begin(visit: Visit): void {
    visit.asked++;
    this.#silent.delete(visit.line);
    this.#resting.delete(visit.line);
  }

  #finish(visit: Visit): void {
    visit.asked--;
    if (visit.asked === 0 && !visit.line.destroyed) this.#resting.add(visit);
  }
}

/** Connections of one kind, the oldest first, and how many of them there may be. */
class Crowd {
  readonly #limits: { readonly perNetwork: number; readonly total: number };
  /** Each with its network: a socket forgets its address when it closes. */
  readonly #all = new Map<Line, string>();
  readonly #byNetwork = new Map<string, Set<Line>>();

  constructor(limits: { readonly perNetwork: number; readonly total: number }) {
    this.#limits = limits;
  }

  /** Takes one more and cuts the oldest of its network, or of all, where there are too many. */
  add({ line, network }: Visit): void {
    const neighbours = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, neighbours.add(line));
    this.#all.set(line, network);
    const isCrowded = neighbours.size > this.#limits.perNetwork;
    if (!isCrowded && this.#all.size <= this.#limits.total) return;
    const [oldest] = isCrowded ? neighbours : this.#all.keys();
    if (!oldest) return;
    this.delete(oldest);
    oldest.destroy();
  }

  delete(line: Line): void {
    const network = this.#all.get(line);
    if (network === undefined) return;
    this.#all.delete(line);
    const neighbours = this.#byNetwork.get(network);
    neighbours?.delete(line);
    if (neighbours?.size === 0) this.#byNetwork.delete(network);
  }
}

function placeOf({ remoteAddress = '', remotePort = 0 }: Line): string {
  return `${remoteAddress} ${remotePort}`;
}
