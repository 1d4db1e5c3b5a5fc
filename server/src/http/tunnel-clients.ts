import { isIP } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { TunnelConnection } from '../tunnel/tunnel-connection.ts';
import { firstRequestMs, type Certificate } from './connection-limiter.ts';

/**
 * Clients through the tunnel. Their connections are handed to the HTTP server directly, with the address that
 * the relay reports, so that limits, audit and logs refer to the client and not the relay; no local port is
 * connected to.
 */
export class TunnelClients {
  readonly #server: FastifyInstance;
  readonly #certificate: () => Certificate | undefined;
  readonly #clock: Clock;
  /** The connection behind the socket of a request: the socket itself, or the one that its TLS runs over. */
  readonly #behind = new WeakMap<object, TunnelConnection>();

  /** @param certificate the one in use when a client connects */
  constructor(server: FastifyInstance, clock: Clock, certificate: () => Certificate | undefined) {
    this.#server = server;
    this.#clock = clock;
    this.#certificate = certificate;
    server.addHook('onRequest', (request, reply, done) => {
      const connection = this.#behind.get(request.raw.socket);
      if (connection) {
        nameClient(request, connection);
        connection.openRequests++;
        reply.raw.once('close', () => connection.openRequests--);
      }
      done();
    });
  }

  /** Serves a client; with a certificate TLS ends here, and the relay sees nothing but ciphertext. */
  admit(connection: TunnelConnection): void {
    const { server } = this.#server;
    const certificate = this.#certificate();
    if (!certificate) {
      this.#behind.set(connection, connection);
      server.emit('connection', connection);
      return;
    }
    const secureContext = createSecureContext({ cert: certificate.cert, key: certificate.key });
    const socket = new TLSSocket(connection, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    this.#behind.set(socket, connection);
    const cancel = this.#clock.after(firstRequestMs, () => connection.destroy());
    connection.once('close', cancel);
    // A client that disconnects or does not speak TLS is disconnected, as on the server's own port.
    socket.on('error', () => connection.destroy());
    socket.once('secure', () => {
      cancel();
      Object.defineProperty(socket, 'remoteAddress', { value: connection.remoteAddress });
      server.emit('secureConnection', socket);
    });
  }
}

/**
 * Identifies the caller of a request by the data of this connection: headers count only if a proxy on the relay
 * was declared, whatever the settings for other proxies of this server.
 */
function nameClient(request: FastifyRequest, connection: TunnelConnection): void {
  const { headers } = request.raw;
  const isOurTls = request.raw.socket instanceof TLSSocket;
  const saysTls = lastOf(headers['x-forwarded-proto']) === 'https';
  const said = lastOf(headers['x-forwarded-for']);
  const trusts = connection.trustsProxy;
  Object.defineProperties(request, {
    ip: { value: trusts && isIP(said) !== 0 ? said : connection.remoteAddress },
    protocol: { value: isOurTls || (trusts && saysTls) ? 'https' : 'http' },
    host: { value: headers.host ?? '' },
  });
}

/** The entry that the nearest proxy added: earlier ones are claims of the caller. */
function lastOf(header: string | string[] | undefined): string {
  return (
    String(header ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? ''
  );
}
