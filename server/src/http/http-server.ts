import { listenerOf, type SocketHandle } from '../base/socket-handle.ts';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import cookie from '@fastify/cookie';
import websocket from '@fastify/websocket';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { limits } from '@vidette/contract/constants';
import { messageOf } from '@vidette/contract/errors';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { socketOptions } from '../base/web-socket.ts';
import type { Lock } from '../system/lock.ts';
import type { Config } from '../config/schema.ts';
import type { TunnelConnection } from '../tunnel/tunnel-connection.ts';
import { methodsInstead } from './allowed-methods.ts';
import { TunnelClients } from './tunnel-clients.ts';
import { discardBody } from './discard-body.ts';
import { faultOf, logFault, sendFault } from './failure.ts';
import { ConnectionLimiter, type Certificate } from './connection-limiter.ts';
import { languageOfVisitor } from './language.ts';
import { callHeaders, securityHeaders, setHeaders, tlsHeaders } from './security-headers.ts';
import { ServerCertificate } from './server-certificate.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** The dependencies of the server itself, without its routes. */
export interface HttpServerServices {
  readonly config: Pick<Config, 'app' | 'dataDir' | 'host' | 'port' | 'tls' | 'trustProxy'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly lock: Pick<Lock, 'isLocked'>;
}

/** The HTTP server without its routes: connections, certificate, headers, bodies, errors. */
export interface HttpServer {
  /** Accepts routes until `listen`. */
  readonly routes: FastifyInstance;
  /** Undefined without TLS. */
  readonly certificate: ServerCertificate | undefined;
  /** Listens as configured and resolves to the page's address, as in `http://localhost:8080/ui/`. */
  listen(kept?: KeptListener): Promise<string>;
  /** Serves a client that connects through the tunnel. */
  admit(connection: TunnelConnection): void;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/** Keeps the listening socket while this process is replaced: connections wait for the next one. */
export interface KeptListener {
  /** The file descriptor of the socket that an earlier process listened on, by configured host and port. */
  inherited(address: string): number | undefined;
  keep(address: string, handle: SocketHandle): void;
}

/** A server without routes. Rejects when the certificate can't be read. */
export async function openHttpServer(services: HttpServerServices): Promise<HttpServer> {
  const { config, clock } = services;
  const certificate = await openCertificate(services);
  const door = new ConnectionLimiter(clock);
  certificate?.onRenewed((renewed) => door.renew(renewed));
  const server = newServer(services, door, certificate?.current);
  const tunnelClients = new TunnelClients(server, clock, () => certificate?.current);
  new TrustedProxies(config.trustProxy).serve(server);
  setHeadersOf(server, config);
  await server.register(cookie);
  await server.register(websocket, { options: socketOptions });
  readBodies(server);
  answerFailures(server, services);
  return {
    routes: server,
    certificate,
    async listen(kept) {
      const address = `${config.host}:${config.port}`;
      const fd = kept?.inherited(address);
      // Node takes the descriptor before it looks at the port.
      await server.listen({ port: config.port, host: config.host, ...(fd !== undefined && { fd }) });
      const handle = listenerOf(server.server);
      if (handle && config.host !== 'localhost') kept?.keep(address, handle);
      return pageAddress(server, config);
    },
    admit: (connection) => tunnelClients.admit(connection),
    async close() {
      certificate?.close();
      await server.close();
    },
  };
}

function setHeadersOf(server: FastifyInstance, { app }: Pick<Config, 'app'>): void {
  const pageHeaders = securityHeaders(originOf(app.logo));
  server.addHook('onRequest', ({ url, raw, protocol, is404, method }, reply, done) => {
    setHeaders(reply, url.startsWith('/v1/') ? callHeaders : pageHeaders);
    if (protocol === 'https') setHeaders(reply, tlsHeaders);
    // Before the body is read: a request without a route need not be parsed.
    const allowed = methodsInstead(method, url, is404)?.join(', ');
    if (allowed !== undefined) void reply.header('allow', allowed);
    done(
      isDoubtful(raw)
        ? new Fault('BadRequest', 'A request must name one host, and its length in one way.')
        : allowed !== undefined
          ? new Fault('MethodNotAllowed', `Allowed here: ${allowed}.`)
          : undefined,
    );
  });
}

/** The local address of the page; the port is the real one even when the configured port is 0. */
function pageAddress(server: FastifyInstance, config: HttpServerServices['config']): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const isAnywhere = config.host === '0.0.0.0' || config.host === '::';
  const host = isAnywhere ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls.key === null ? 'http' : 'https'}://${host}:${port}/ui/`;
}

async function openCertificate({
  config,
  clock,
  log,
}: HttpServerServices): Promise<ServerCertificate | undefined> {
  const { dataDir, tls } = config;
  if (tls.certificate === null || tls.key === null) return undefined;
  const [certificatePath, keyPath] = [resolve(dataDir, tls.certificate), resolve(dataDir, tls.key)];
  return ServerCertificate.open({ certificatePath, keyPath, clock, log });
}

function newServer(
  { config }: HttpServerServices,
  door: ConnectionLimiter,
  certificate: Certificate | undefined,
): FastifyInstance {
  return Fastify({
    logger: false,
    bodyLimit: limits.usualBodyMaxBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    schemaController: { compilersFactory: noCompilers },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      void sendFault(reply, faultOf(error), languageOfVisitor(request, config));
    },
    clientErrorHandler: (_: Error, socket: Socket) => refuseNonsense(socket),
    serverFactory: (serve) => door.open(serve as RequestListener, certificate) as Server,
  });
}

/**
 * The registrar checks requests and answers by the contract: no route has a schema of Fastify's. Its compilers, a twelfth of all
 * modules of the process, would be loaded if none were named here.
 */
const noCompilers = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('A route has a schema of Fastify: the contract declares what calls take and return.');
}

/** Host and port (RFC 9110, 7.2), without percent escapes, which no client needs. */
const hostAndPort = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

/**
 * What a proxy and this server could interpret as requests to two different sites, or as two requests: several
 * hosts or an invalid one (RFC 9112, 3.2), a coding in addition to `chunked`, and `chunked` before HTTP/1.1
 * (RFC 9112, 6.1). The parser rejects the rest.
 */
function isDoubtful({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (headers.host !== undefined && !hostAndPort.test(headers.host))) return true;
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (coding.trim().toLowerCase() !== 'chunked' || httpVersion !== '1.1');
}

/**
 * Bodies are always JSON; an empty body means no value, whatever the header says. They remain bytes here: the
 * registrar parses them once it knows that the sender may make the call.
 */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) => {
    done(null, bytes.length === 0 ? undefined : bytes);
  });
}

/** Answers failures before a call's own handling, and requests without a route. */
function answerFailures(server: FastifyInstance, services: HttpServerServices): void {
  server.setErrorHandler(async (error, request, reply) => {
    const fault = faultOf(error);
    if (reply.getHeader('connection') === 'close') await discardBody(request.raw, services.clock);
    logFault(services.log, fault, { method: request.method, url: request.url });
    const locked = services.lock.isLocked && request.url.startsWith('/v1/');
    const shown = locked ? new Fault('LifetimeCodeRequired', 'The server has no administrator.') : fault;
    return sendFault(reply, shown, languageOfVisitor(request, services.config));
  });
  server.setNotFoundHandler((request, reply) => {
    const fault = services.lock.isLocked
      ? new Fault('LifetimeCodeRequired', 'The server has no administrator.')
      : new Fault('NotFound', 'There is nothing at this address.');
    return sendFault(reply, fault, languageOfVisitor(request, services.config));
  });
}

/** Invalid or slow requests get a final answer, and the connection is closed. */
function refuseNonsense(socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ code: 'BadRequest', error: messageOf('BadRequest', 'en') });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}
