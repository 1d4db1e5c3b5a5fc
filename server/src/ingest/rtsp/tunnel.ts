import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { headerValues, parseHttpHead, type RtspResponse } from '@vidette/media/rtsp/message';
import { latin1 } from '@vidette/media/rtsp/parser';
import type { RtspTunnel, RtspUri } from '@vidette/media/rtsp/uri';
import { MalformedError } from '@vidette/media/malformed';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Credentials } from '../../dial/address.ts';
import type { Dial, TakeBytes } from '../../dial/dial.ts';
import { Authorization } from '../../dial/authorization.ts';
import type { RtspSender } from './connection.ts';
import { refusalOf, refuseUnlessOk } from './refusal.ts';

export interface HttpTunnelOptions {
  readonly target: RtspUri & { readonly tunnel: RtspTunnel };
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly dial: Dial;
  /** Timeout of each HTTP response, ms. */
  readonly replyTimeoutMs: number;
  /** Consumes the bytes of the tunnel, like the consumer of a dialled socket. */
  readonly receive: TakeBytes;
}

/**
 * An open RTSP-over-HTTP tunnel: bytes from the camera arrive on `socket`, bytes written to `sender` reach it.
 */
export interface HttpTunnel {
  /** The GET connection. The POST connection ends with it. */
  readonly socket: Socket;
  readonly sender: RtspSender;
}

const mediaType = 'application/x-rtsp-tunnelled';
/** GET without authorization, with it, and again if the nonce was stale. */
const maxTries = 3;
const maxHeadBytes = 16 * 1024;
/** Maximum number of bytes that a camera may send before any request. */
const maxEarlyBytes = 64 * 1024;

/**
 * Opens a tunnel as in Apple's "Tunneling RTSP and RTP through HTTP": a GET whose response never ends, and a
 * POST whose body is the requests in base64, linked by a cookie. The POST goes to the same IP address that
 * answered the GET. Rejects with a Fault, or with the signal's reason, with everything closed again.
 */
export async function openTunnel(options: HttpTunnelOptions, signal: AbortSignal): Promise<HttpTunnel> {
  const { credentials, target } = options;
  const authorization = new Authorization({ credentials, allowBasic: true });
  const cookie = randomBytes(16).toString('hex');
  let pinned: string | undefined;
  for (let tries = 1; ; tries++) {
    const answer = authorization.header('GET', target.tunnel.path);
    const head = getHead(target.tunnel, cookie, answer);
    const get = await TunnelHalf.open(options, head, pinned, signal);
    pinned = get.socket.remoteAddress;
    try {
      const response = await get.response(options, signal);
      if (response.status === 401 && tries < maxTries) {
        if (!authorization.challenged(headerValues(response, 'www-authenticate'), answer === undefined)) {
          refuseUnlessOk(response, 'GET');
        }
        get.close();
        continue;
      }
      refuse(response);
      const openPost = () => {
        const postAnswer = authorization.header('POST', target.tunnel.path);
        return TunnelHalf.open(options, postHead(target.tunnel, cookie, postAnswer), pinned, signal);
      };
      const sender = new TunnelSender(get, await openPost(), openPost, options.clock);
      get.passOn(options.receive);
      return { socket: get.socket, sender };
    } catch (error) {
      get.close();
      throw error;
    }
  }
}

/** @throws Fault with a message, unless the tunnel is open */
function refuse(response: RtspResponse): void {
  if (response.status >= 300 && response.status < 400) {
    throw new Fault(
      'STREAM_SOURCE_ERR',
      'The camera redirects RTSP over HTTP to another address, which is not followed.',
    );
  }
  refuseUnlessOk(response, 'GET');
}

/** One of the two connections, from its request on. */
class TunnelHalf {
  readonly socket: Socket;
  /** Called with the header of the response, or with the reason why there is none. */
  onResponse: (response: RtspResponse | Fault) => void = () => {};
  readonly #head: ResponseHead;

  private constructor(socket: Socket, head: ResponseHead) {
    this.socket = socket;
    this.#head = head;
    head.onDone = (response) => this.onResponse(response);
    const fail = (cause?: Error) => this.onResponse(closed(cause));
    socket.on('error', fail);
    socket.on('end', () => fail());
    socket.on('close', () => fail());
  }

  static async open(
    { dial, target }: HttpTunnelOptions,
    request: string,
    pinned: string | undefined,
    signal: AbortSignal,
  ): Promise<TunnelHalf> {
    const head = new ResponseHead();
    const take: TakeBytes = (bytes, length) => head.take(bytes, length);
    const socket = await dial(target.host, target.port, target.tls, signal, take, pinned);
    const half = new TunnelHalf(socket, head);
    socket.write(request);
    return half;
  }

  /** The header of the response. Rejects with a Fault if none arrives in time, or with the signal's reason. */
  response({ clock, replyTimeoutMs }: HttpTunnelOptions, signal: AbortSignal): Promise<RtspResponse> {
    return new Promise((resolve, reject) => {
      const onAbort = () => settle(() => reject(signal.reason));
      const cancel = clock.after(replyTimeoutMs, () => {
        const seconds = Math.round(replyTimeoutMs / 1000);
        settle(() =>
          reject(new Fault('EHOSTUNREACH', `The camera did not answer (GET) within ${seconds} s.`)),
        );
      });
      const settle = (finish: () => void) => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.onResponse = () => {};
        finish();
      };
      this.onResponse = (response) =>
        settle(() => (response instanceof Fault ? reject(response) : resolve(response)));
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  /** How many times bytes arrived after the response header. */
  get deliveries(): number {
    return this.#head.deliveries;
  }

  /** Passes everything after the response header to this consumer, in a later turn of the event loop. */
  passOn(receive: TakeBytes): void {
    this.#head.passOn(receive);
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Separates the header of an HTTP response from the received bytes, and passes on the rest. */
class ResponseHead {
  onDone: (response: RtspResponse | Fault) => void = () => {};
  /** How many times bytes were passed on. */
  deliveries = 0;
  #bytes = Buffer.alloc(0);
  #isDone = false;
  #isBroken = false;
  #receive: TakeBytes | undefined;

  /** See `TakeBytes`. */
  take(bytes: Uint8Array, length: number): boolean {
    if (this.#isBroken) return true;
    if (this.#receive) {
      this.#passEarly();
      this.deliveries++;
      return this.#receive(bytes, length);
    }
    const limit = this.#isDone ? maxEarlyBytes : maxHeadBytes + maxEarlyBytes;
    if (this.#bytes.length + length > limit) return this.#break();
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(0, length)]);
    if (!this.#isDone) this.#look();
    return true;
  }

  passOn(receive: TakeBytes): void {
    this.#receive = receive;
    setImmediate(() => this.#passEarly());
  }

  /** The bytes that arrived with the header, before any later ones. */
  #passEarly(): void {
    const early = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    if (early.length === 0) return;
    this.deliveries++;
    this.#receive?.(early, early.length);
  }

  #look(): void {
    const end = endOfHead(this.#bytes);
    if (!end) {
      if (this.#bytes.length > maxHeadBytes) this.#break();
      return;
    }
    try {
      const response = parseHttpHead(latin1(this.#bytes, 0, end.head));
      this.#bytes = this.#bytes.subarray(end.next);
      this.#isDone = true;
      this.onDone(response);
    } catch (cause) {
      if (!(cause instanceof MalformedError)) throw cause;
      this.#break(cause);
    }
  }

  #break(cause?: unknown): true {
    this.#isBroken = true;
    this.#bytes = Buffer.alloc(0);
    this.onDone(
      new Fault('ProbeError', 'The server at this address does not speak RTSP over HTTP.', { cause }),
    );
    return true;
  }
}

/** Where the header ends and the body begins: after an empty line, ended by CRLF or by LF alone. */
function endOfHead(bytes: Buffer): { readonly head: number; readonly next: number } | undefined {
  const [crlf, lf] = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')];
  if (crlf < 0 && lf < 0) return undefined;
  return lf < 0 || (crlf >= 0 && crlf < lf) ? { head: crlf, next: crlf + 4 } : { head: lf, next: lf + 2 };
}

/**
 * The reply to the last request of a POST that closes may arrive after the close; it is waited for this long,
 * ms.
 */
const answerGraceMs = 1000;

/**
 * Sends over the POST connection, and over a new one when the camera has closed it: some cameras serve one
 * request per POST, and a proxy ends it at its declared length. Each message is encoded separately in base64,
 * including padding, as all clients do.
 */
class TunnelSender implements RtspSender {
  readonly #get: TunnelHalf;
  readonly #open: () => Promise<TunnelHalf>;
  readonly #clock: Clock;
  #post: TunnelHalf | undefined;
  /** Waits for a new connection. */
  #queue: string[] = [];
  /** The newest message, and how much had arrived over the GET then: it may be lost with its connection. */
  #newest:
    | {
        readonly text: string;
        readonly deliveries: number;
        readonly isRepeated: boolean;
      }
    | undefined;
  #isOpening = false;
  #isEnding = false;

  constructor(get: TunnelHalf, post: TunnelHalf, open: () => Promise<TunnelHalf>, clock: Clock) {
    this.#get = get;
    this.#open = open;
    this.#clock = clock;
    this.#use(post);
    get.socket.once('close', () => this.#post?.close());
  }

  get writableLength(): number {
    const queued = this.#queue.reduce((sum, text) => sum + text.length, 0);
    return queued + (this.#post?.socket.writableLength ?? 0);
  }

  write(message: string | Uint8Array): void {
    const text = Buffer.from(message).toString('base64');
    if (this.#post) {
      this.#send(this.#post, text);
      return;
    }
    this.#queue.push(text);
    void this.#reopen();
  }

  #send(post: TunnelHalf, text: string, isRepeated = false): void {
    this.#newest = { text, deliveries: this.#get.deliveries, isRepeated };
    post.socket.write(text);
  }

  destroySoon(): void {
    this.#isEnding = true;
    if (this.#post) this.#post.socket.destroySoon();
    else if (!this.#isOpening) this.#get.close();
  }

  #use(post: TunnelHalf): void {
    this.#post = post;
    // Most cameras never answer the POST, and some answer 200.
    post.onResponse = (response) => {
      const refusal = response instanceof Fault ? undefined : refusalOf(response, 'POST');
      if (refusal) this.#get.socket.destroy(refusal);
    };
    post.socket.once('close', () => this.#onClosed());
  }

  #onClosed(): void {
    this.#post = undefined;
    const get = this.#get;
    if (this.#isEnding) get.close();
    if (get.socket.destroyed) return;
    const cancel = this.#clock.after(answerGraceMs, () => this.#repeat());
    get.socket.once('close', cancel);
  }

  /** Nothing was answered since the newest message: it was sent while the connection was being closed. */
  #repeat(): void {
    const newest = this.#newest;
    if (newest && this.#get.deliveries > newest.deliveries) return;
    if (!newest || newest.isRepeated || this.#get.deliveries === 0) {
      this.#get.close();
      return;
    }
    void this.#reopen(newest.text);
  }

  /** Never rejects: a failure ends the GET connection. */
  async #reopen(repeated?: string): Promise<void> {
    if (this.#isOpening || this.#post) return;
    this.#isOpening = true;
    try {
      const post = await this.#open();
      if (this.#get.socket.destroyed) {
        post.close();
        return;
      }
      this.#use(post);
      if (repeated !== undefined) this.#send(post, repeated, true);
      for (const text of this.#queue.splice(0)) this.#send(post, text);
      if (this.#isEnding) post.socket.destroySoon();
    } catch (error) {
      this.#get.socket.destroy(error instanceof Error ? error : undefined);
    } finally {
      this.#isOpening = false;
    }
  }
}

function getHead(tunnel: RtspTunnel, cookie: string, answer: string | undefined): string {
  return httpHead('GET', tunnel, cookie, answer, [`Accept: ${mediaType}`]);
}

/** The length is only nominal: the body lasts as long as the session, and cameras don't count it. */
function postHead(tunnel: RtspTunnel, cookie: string, answer: string | undefined): string {
  return httpHead('POST', tunnel, cookie, answer, [`Content-Type: ${mediaType}`, 'Content-Length: 32767']);
}

function httpHead(
  method: string,
  { path, authority }: RtspTunnel,
  cookie: string,
  answer: string | undefined,
  more: readonly string[],
): string {
  const lines = [
    `${method} ${path} HTTP/1.0`,
    `Host: ${authority}`,
    'User-Agent: Vidette',
    `x-sessioncookie: ${cookie}`,
    ...more,
    'Pragma: no-cache',
    'Cache-Control: no-cache',
    ...(answer === undefined ? [] : [`Authorization: ${answer}`]),
  ];
  return `${lines.map((line) => line.replace(/[\r\n]/g, '')).join('\r\n')}\r\n\r\n`;
}

function closed(cause: Error | undefined): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault('EHOSTUNREACH', 'The connection was closed without an answer.', { cause });
}
