import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import {
  createServer,
  request as httpRequest,
  validateHeaderName,
  validateHeaderValue,
} from '../../../base/node-http.ts';
import type { Credentials } from '../../../dial/address.ts';
import type { Dial } from '../../../dial/dial.ts';
import { forwardMotionJpeg, isMotionJpeg } from './jpeg-parts.ts';
import { StillPoller } from './still-poller.ts';
import { plainAddress, plainDocument, realTarget, type RealTarget } from './tls-names.ts';

/** Connections per source: a playlist's segments, its keys, some retries. */
const connectionsMax = 32;
/** Headers of one connection only (RFC 9110, 7.6.1), and those that FFmpeg would act on. */
const droppedHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'upgrade',
  'refresh',
  'alt-svc',
]);
/** A playlist or manifest is buffered for rewriting up to this size; a longer one fails. */
const documentMaxBytes = 8 * 1024 * 1024;
/** How much of a body is needed to detect its type. */
const sniffedBytes = 256;
const documentStart = /^\ufeff?\s*(?:#EXTM3U|<\?xml|<!--|<MPD)/;

/** What FFmpeg requested, and its real address. */
interface Exchange {
  readonly url: URL;
  readonly target: RealTarget;
}

/**
 * The only way out for HTTP requests of FFmpeg. A playlist or a redirect may name any host, so every request
 * goes through this proxy on the loopback interface, and each target is resolved, checked and dialled by
 * `dial`.
 *
 * A request is FFmpeg's own only if its first header is `User-Agent` with the secret of this proxy: an address
 * with line breaks in it (from an entity of a manifest) puts other lines before that. Outgoing requests are
 * built here: GET, one request per connection, and only the headers listed below.
 */
export class CheckedProxy {
  /** Why the newest request could not be sent on; more specific than the status that FFmpeg receives. */
  failure: Fault | undefined;
  /** The `User-Agent` that FFmpeg must send. */
  readonly userAgent = `Vidette/${randomBytes(16).toString('hex')}`;
  /** The source is a single JPEG, which is requested repeatedly. */
  isPolled = false;
  readonly #dial: Dial;
  readonly #clock: Clock;
  readonly #credentials: Credentials | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The address of FFmpeg's first request, from which the others may result by redirects. */
  #source: Exchange | undefined;

  /** `credentials` are for this proxy's own requests; FFmpeg has its own. */
  constructor(dial: Dial, clock: Clock, credentials?: Credentials) {
    this.#dial = dial;
    this.#clock = clock;
    this.#credentials = credentials;
    this.#server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
      void this.#forward(request, response);
    });
    this.#server.maxConnections = connectionsMax;
    this.#server.maxRequestsPerSocket = 1;
    this.#server.on('connection', (socket: Socket) => this.#hold(socket));
    // CONNECT and anything but HTTP get no response: FFmpeg has no reason to send either.
    this.#server.on('connect', (_request: IncomingMessage, socket: Socket) => socket.destroy());
    this.#server.on('upgrade', (_request: IncomingMessage, socket: Socket) => socket.destroy());
    this.#server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());
  }

  /** Starts listening; resolves with the address to be passed to FFmpeg. */
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

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Either side may disappear at any time; the other one sees the end of its stream.
    socket.on('error', () => socket.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const [name = '', value] = request.rawHeaders;
    if (request.method !== 'GET' || name.toLowerCase() !== 'user-agent' || value !== this.userAgent) {
      this.failure = new Fault('STREAM_SOURCE_ERR', 'The source tried to inject a request of its own.');
      request.socket.destroy();
      return;
    }
    if (url?.protocol !== 'http:') {
      response.writeHead(400).end();
      return;
    }
    const target = realTarget(url);
    this.#source ??= { url, target };
    try {
      const upstream = await this.#connect(target);
      if (response.destroyed) {
        upstream.destroy();
        return;
      }
      const outgoing = httpRequest({
        createConnection: () => upstream,
        method: 'GET',
        path: url.pathname + url.search,
        headers: headersFor(request, target),
        // Cameras send header lines that no standard allows.
        insecureHTTPParser: true,
      });
      outgoing.on('response', (answer) => {
        this.#answer(answer, response, { url, target }).catch((error: unknown) => {
          this.#refuse(error);
          answer.destroy();
          response.destroy();
        });
      });
      outgoing.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      outgoing.end();
    } catch (error) {
      this.#refuse(error);
      response.writeHead(502).end();
    }
  }

  async #connect({ host, port, tls }: RealTarget): Promise<Socket> {
    const socket = await this.#dial(host, port, tls);
    this.#hold(socket);
    this.failure = undefined;
    return socket;
  }

  /** Passes the source's response to FFmpeg: unchanged, or in a form that FFmpeg can read safely. */
  async #answer(answer: IncomingMessage, response: ServerResponse, asked: Exchange): Promise<void> {
    answer.on('error', () => response.destroy());
    const headers = forwardedHeaders(answer, asked);
    if (headers instanceof Fault) {
      this.#refuse(headers);
      response.writeHead(502).end();
      answer.destroy();
      return;
    }
    if (StillPoller.isStill(answer)) {
      // Each image may have an address of its own, to which the source redirects.
      await this.#poll(answer, response, this.#source ?? asked);
      return;
    }
    const first = await firstBytes(answer);
    if (response.destroyed) return;
    if (first && isMotionJpeg(answer, first)) {
      await forwardMotionJpeg(first, answer, response);
    } else if (first && documentStart.test(first.toString('utf8', 0, sniffedBytes))) {
      await forwardDocument(first, answer, response, headers);
    } else {
      response.writeHead(answer.statusCode ?? 502, headers);
      if (first) response.write(first);
      answer.pipe(response);
    }
  }

  /** The source is a single JPEG: its address is requested repeatedly from here on. */
  async #poll(first: IncomingMessage, response: ServerResponse, { url, target }: Exchange): Promise<void> {
    this.isPolled = true;
    const dial: Dial = async (...to) => {
      const socket = await this.#dial(...to);
      this.#hold(socket);
      return socket;
    };
    const path = url.pathname + url.search;
    const credentials = this.#credentials;
    const poller = new StillPoller({ clock: this.#clock, dial, target, path, credentials });
    await poller.run(first, response);
  }

  #refuse(error: unknown): void {
    this.failure =
      error instanceof Fault ? error : new Fault('EHOSTUNREACH', 'The connection failed.', { cause: error });
  }
}

/**
 * The headers of the source's response that FFmpeg receives, a redirect rewritten to pass through this proxy
 * again; a Fault if the response cannot be forwarded.
 */
function forwardedHeaders(answer: IncomingMessage, { url, target }: Exchange): OutgoingHttpHeaders | Fault {
  const headers: OutgoingHttpHeaders = Object.fromEntries(
    Object.entries(answer.headers).filter(
      ([name, value]) => !droppedHeaders.has(name) && isSendable(name, value),
    ),
  );
  const { location } = answer.headers;
  if (location !== undefined) {
    const next = redirected(location, url, target);
    if (next === undefined)
      return new Fault('STREAM_SOURCE_ERR', 'The source redirects to an address that is not http or https.');
    headers['location'] = next;
  }
  // Not requested, and compressed bodies can't be inspected.
  if (!['', 'identity'].includes(answer.headers['content-encoding'] ?? ''))
    return new Fault('ProbeError', 'The source compresses its response in a way that was not requested.');
  return headers;
}

/** A playlist or manifest, rewritten so that the addresses in it pass through this proxy too. */
async function forwardDocument(
  first: Buffer,
  answer: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const document = await wholeDocument(first, answer);
  if (document === undefined) {
    response.destroy();
    return;
  }
  const body = Buffer.from(plainDocument(document.toString('utf8')));
  delete headers['transfer-encoding'];
  delete headers['content-range'];
  headers['content-length'] = String(body.length);
  response.writeHead(answer.statusCode === 206 ? 200 : (answer.statusCode ?? 502), headers).end(body);
}

/**
 * The lenient parser accepts names and values that cannot be written, such as those with control characters.
 */
function isSendable(name: string, value: string | string[] | undefined): boolean {
  try {
    validateHeaderName(name);
    for (const one of [value ?? []].flat()) validateHeaderValue(name, one);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** The headers of FFmpeg's request that are forwarded. */
function headersFor(request: IncomingMessage, target: RealTarget): Record<string, string> {
  const { range, authorization, cookie } = request.headers;
  return {
    host: target.authority,
    'user-agent': 'Vidette',
    accept: '*/*',
    connection: 'close',
    ...(range !== undefined && /^bytes=\d*-\d*$/.test(range) && range !== 'bytes=0-' ? { range } : {}),
    ...(authorization !== undefined && /^(?:Basic|Digest) /.test(authorization) ? { authorization } : {}),
    ...(cookie === undefined ? {} : { cookie }),
  };
}

/** The target of a redirect, rewritten to pass through this proxy again; undefined if it is not HTTP. */
function redirected(location: string, url: URL, { authority, tls }: RealTarget): string | undefined {
  const next = URL.parse(location, `${tls ? 'https' : 'http'}://${authority}${url.pathname}${url.search}`);
  if (next?.protocol !== 'http:' && next?.protocol !== 'https:') return undefined;
  return plainAddress(next.href);
}

/** The start of a body, enough to detect its type whatever its chunks; undefined for an empty one. */
function firstBytes(answer: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      answer.off('data', onData);
      answer.pause();
      resolve(bytes > 0 ? Buffer.concat(chunks) : undefined);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= sniffedBytes) finish();
    };
    answer.on('data', onData);
    answer.once('end', finish);
    answer.once('close', finish);
  });
}

/** Undefined if it is too long or ends prematurely. */
async function wholeDocument(first: Buffer, answer: IncomingMessage): Promise<Buffer | undefined> {
  const chunks = [first];
  let bytes = first.length;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > documentMaxBytes) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch {
    // Interrupted: the other side sees the end of its connection.
    return undefined;
  }
  return Buffer.concat(chunks);
}
