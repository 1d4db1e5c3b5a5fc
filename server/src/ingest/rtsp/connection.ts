import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import {
  formatRequest,
  formatResponse,
  header,
  headerValues,
  type RtspMessage,
  type RtspRequest,
  type RtspResponse,
} from '@vidette/media/rtsp/message';
import { RtspParser } from '@vidette/media/rtsp/parser';
import { MalformedError } from '@vidette/media/malformed';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { utcMs } from '../timing.ts';
import type { Authorization } from '../../dial/authorization.ts';

/** Where requests are written: the connection's own socket, or the other connection of a tunnel. */
export interface RtspSender {
  /** Bytes written but not yet sent. */
  readonly writableLength: number;
  write(message: string | Uint8Array): void;
  /** Closes after pending bytes are sent, together with the connection's socket. */
  destroySoon(): void;
}

export interface RtspConnectionOptions {
  /** Source of the received bytes; the connection ends with it. */
  readonly socket: Socket;
  /** Defaults to the socket. */
  readonly sender?: RtspSender;
  readonly clock: Clock;
  readonly authorization: Authorization;
  /** Timeout of each reply, ms. */
  readonly replyTimeoutMs: number;
}

export type PacketHandler = (
  channel: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  arrivalMs: number,
) => void;

interface Pending {
  readonly resolve: (response: RtspResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly cancelTimeout: () => void;
}

/** Attempts at one request: without authorization, with it, and again if the nonce was stale. */
const maxTries = 3;
const userAgent = 'Vidette';
/**
 * Maximum number of our bytes left unsent while the server does not read; a request or a reply has a few
 * hundred.
 */
const unreadAnswersMaxBytes = 256 * 1024;

/**
 * One RTSP connection: requests and their replies, with packets in between. It owns the socket. A failed
 * request rejects; a failure of the connection outside requests is reported through `onClosed`.
 */
export class RtspConnection {
  /** Interleaved packets and the `utcMs` of their arrival; see `RtspParserHandler` for who owns their memory. */
  onPacket: PacketHandler = () => {};
  /** The connection is unusable. Called once, and not after `close`. */
  onClosed: (fault: Fault) => void = () => {};
  /** Called after each read that emptied the socket; if it returns false nothing is read until `readOn`. */
  wantsMore: () => boolean = () => true;
  /** Bytes received so far. */
  receivedBytes = 0;
  /** `utcMs` of the newest bytes. */
  lastReceivedMs: number;
  readonly #options: RtspConnectionOptions;
  readonly #sender: RtspSender;
  readonly #parser: RtspParser;
  readonly #pending = new Map<number, Pending>();
  #cseq = 0;
  #session: string | undefined;
  #fault: Fault | undefined;
  #isClosing = false;
  #awaitsAnswer = false;

  constructor(options: RtspConnectionOptions) {
    this.#options = options;
    this.#sender = options.sender ?? options.socket;
    this.lastReceivedMs = utcMs(options.clock);
    this.#parser = new RtspParser({
      packet: (channel, bytes, start, end) => {
        if (!this.#isClosing) this.onPacket(channel, bytes, start, end, this.lastReceivedMs);
      },
      message: (message) => this.#onMessage(message),
    });
    const { socket } = options;
    socket.on('error', (cause) => this.#fail(this.#closedFault(cause)));
    socket.on('end', () => this.#fail(this.#closedFault(undefined)));
    socket.on('close', () => this.#fail(this.#closedFault(undefined)));
  }

  /** Stray bytes between packets. */
  get skippedBytes(): number {
    return this.#parser.skippedBytes;
  }

  /** The server will send on this interleaved channel. */
  nameChannel(channel: number): void {
    this.#parser.nameChannel(channel);
  }

  /** Sends an RTCP packet on an interleaved channel (RFC 2326, 10.12). */
  sendPacket(channel: number, packet: Uint8Array): void {
    if (this.#isClosing || this.#fault) return;
    const head = Uint8Array.of(0x24, channel, packet.length >>> 8, packet.length & 0xff);
    this.#sender.write(Buffer.concat([head, packet]));
  }

  /** The session identifier, sent with every request from now on. */
  setSession(id: string): void {
    this.#session = id;
  }

  /**
   * Sends a request and waits for its final reply, answering challenges on the way.
   * @returns the reply, whatever its status; 401 only if the credentials were rejected or there are none
   * @throws Fault EHOSTUNREACH if no reply comes in time or the connection breaks, ProbeError if the peer
   * doesn't speak RTSP
   */
  async request(
    method: string,
    uri: string,
    headers: readonly (readonly [string, string])[] = [],
  ): Promise<RtspResponse> {
    const { authorization } = this.#options;
    for (let tries = 1; ; tries++) {
      const answer = authorization.header(method, uri);
      const response = await this.#exchange(method, uri, [
        ...(answer === undefined ? [] : ([['Authorization', answer]] as const)),
        ...headers,
      ]);
      this.#awaitsAnswer = false;
      if (response.status !== 401 || tries >= maxTries) return response;
      const challenges = headerValues(response, 'www-authenticate');
      if (!authorization.challenged(challenges, answer === undefined)) return response;
      // A camera that closes the connection after its 401 does so before the next request is answered.
      this.#awaitsAnswer = true;
    }
  }

  /** The connection broke with an unanswered challenge. */
  get isClosedAfterChallenge(): boolean {
    return this.#awaitsAnswer && this.#fault !== undefined;
  }

  /**
   * Sends TEARDOWN if `teardownUri` is given, flushes pending writes, and closes. Resolves when that is done.
   *
   * What the camera still sends is read until it has answered the TEARDOWN: a socket that is closed with unread bytes
   * is reset, and a camera that fails to write may then never read the request and keep the session until its timeout.
   */
  async close(teardownUri?: string): Promise<void> {
    const { socket, clock } = this.#options;
    const isTornDown = !this.#isClosing && !this.#fault && teardownUri !== undefined;
    this.#isClosing = true;
    const unanswered = [...this.#pending.keys()];
    this.#rejectPending(closedByUs());
    if (socket.closed) return;
    for (const cseq of unanswered) this.#pending.set(cseq, settled);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(closeLimitMs, () => {
        this.#sender.destroySoon();
        socket.destroy();
      });
      socket.once('close', () => {
        cancel();
        resolve();
      });
      if (isTornDown) {
        const headers = this.#authorizationHeaders('TEARDOWN', teardownUri);
        const cseq = this.#write('TEARDOWN', teardownUri, headers);
        this.#pending.set(cseq, { ...settled, resolve: () => this.#sender.destroySoon() });
        socket.resume();
      } else this.#sender.destroySoon();
    });
  }

  #authorizationHeaders(method: string, uri: string): [string, string][] {
    const answer = this.#options.authorization.header(method, uri);
    return answer === undefined ? [] : [['Authorization', answer]];
  }

  #exchange(
    method: string,
    uri: string,
    headers: readonly (readonly [string, string])[],
  ): Promise<RtspResponse> {
    if (this.#fault) return Promise.reject(this.#fault);
    if (this.#isClosing) return Promise.reject(closedByUs());
    return new Promise((resolve, reject) => {
      const { clock, replyTimeoutMs } = this.#options;
      const cseq = this.#write(method, uri, headers);
      const cancelTimeout = clock.after(replyTimeoutMs, () => {
        this.#pending.delete(cseq);
        const seconds = Math.round(replyTimeoutMs / 1000);
        reject(new Fault('EHOSTUNREACH', `The camera did not answer (${method}) within ${seconds} s.`));
      });
      this.#pending.set(cseq, { resolve, reject, cancelTimeout });
    });
  }

  #write(method: string, uri: string, headers: readonly (readonly [string, string])[]): number {
    const cseq = ++this.#cseq;
    const text = formatRequest(method, uri, [
      ['CSeq', String(cseq)],
      ['User-Agent', userAgent],
      ...(this.#session === undefined ? [] : ([['Session', this.#session]] as const)),
      ...headers,
    ]);
    this.#sender.write(text);
    return cseq;
  }

  /** Whether reading can pause and resume at no cost. TLS delivers the 64 KiB it has read before it stops. */
  get canRest(): boolean {
    return !(this.#options.socket instanceof TLSSocket);
  }

  /** Resumes reading after `wantsMore` returned false. */
  readOn(): void {
    this.#options.socket.resume();
  }

  /**
   * Takes the first `length` bytes of `bytes`, which have arrived; that memory can be reused on return.
   * @returns whether to continue reading
   */
  receive(bytes: Uint8Array, length: number): boolean {
    if (this.#fault) return true;
    this.lastReceivedMs = utcMs(this.#options.clock);
    this.receivedBytes += length;
    try {
      this.#parser.push(bytes, length);
    } catch (cause) {
      this.#fail(
        cause instanceof MalformedError
          ? new Fault('ProbeError', 'The server at this address does not speak RTSP.', { cause })
          : new Fault('InternalServerError', 'The stream could not be read.', { cause }),
      );
    }
    // A read that filled the buffer has not emptied the socket.
    return this.#isClosing || length === bytes.length || this.wantsMore();
  }

  #onMessage(message: RtspMessage): void {
    if (message.type === 'request') {
      if (!this.#isClosing) this.#answer(message);
      return;
    }
    if (message.status < 200) return;
    const cseq = Number(header(message, 'cseq'));
    // Cameras that miscount still answer in order.
    const key = this.#pending.has(cseq) ? cseq : this.#pending.keys().next().value;
    const pending = key === undefined ? undefined : this.#pending.get(key);
    if (key === undefined || !pending) return;
    this.#pending.delete(key);
    pending.cancelTimeout();
    pending.resolve(message);
  }

  /**
   * A request of the server: announcements need no action, TEARDOWN ends the session, others are not supported.
   */
  #answer(message: RtspRequest): void {
    if (this.#sender.writableLength > unreadAnswersMaxBytes) {
      this.#fail(new Fault('ProbeError', 'The camera keeps sending requests and does not read the replies.'));
      return;
    }
    const isKnown = ['OPTIONS', 'ANNOUNCE', 'GET_PARAMETER', 'SET_PARAMETER', 'TEARDOWN'].includes(
      message.method,
    );
    const [status, reason] = isKnown ? [200, 'OK'] : [501, 'Not Implemented'];
    this.#sender.write(formatResponse(status, reason, header(message, 'cseq')));
    if (message.method === 'TEARDOWN' || message.method === 'REDIRECT') {
      this.#fail(new Fault('EHOSTUNREACH', 'The camera ended the session.'));
    }
  }

  #closedFault(cause: unknown): Fault {
    if (cause instanceof Fault) return cause;
    const words =
      this.receivedBytes > 0
        ? 'The camera closed the connection.'
        : 'The connection was closed without an answer.';
    return new Fault('EHOSTUNREACH', words, cause === undefined ? {} : { cause });
  }

  #fail(fault: Fault): void {
    if (this.#fault || this.#isClosing) return;
    this.#fault = fault;
    this.#options.socket.destroy();
    this.#rejectPending(fault);
    this.onClosed(fault);
  }

  #rejectPending(fault: Fault): void {
    for (const pending of this.#pending.values()) {
      pending.cancelTimeout();
      pending.reject(fault);
    }
    this.#pending.clear();
  }
}

/** A request whose caller has left; its reply is still told from the next one's. */
const settled: Pending = { resolve() {}, reject() {}, cancelTimeout() {} };
/** How long to wait for a peer to accept the last bytes and to answer TEARDOWN, ms. */
const closeLimitMs = 500;

function closedByUs(): Fault {
  return new Fault('EHOSTUNREACH', 'The connection was closed.');
}
