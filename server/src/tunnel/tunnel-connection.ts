import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { Cancel, Clock } from '../base/clock.ts';

/** A write is passed to the channel in chunks of one SSH packet, so that it stops when the socket does. */
const pieceBytes = 32_768;

/** Bytes of clients' connections through the tunnel, in both directions, and the number of connections. */
export interface Traffic {
  receivedBytes: number;
  sentBytes: number;
  connectionsTotal: number;
}

export interface TunnelConnectionOptions {
  readonly channel: ClientChannel;
  /** The relay's own socket, which carries this channel and others. */
  readonly line: Socket;
  /** The client's address, as the relay reports it. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** Whether a proxy on the relay names the client in its headers. */
  readonly trustsProxy: boolean;
  readonly traffic: Traffic;
  readonly clock: Clock;
}

/**
 * One client's TCP connection to the relay, as the HTTP server expects it: with the client's address, a
 * timeout, and a writer that waits. The SSH library queues without bound whatever fits the window that the
 * relay announced; here a write is done when the relay's socket has accepted it, so that a slow network reaches
 * the live session, which skips.
 */
export class TunnelConnection extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly remoteFamily: 'IPv4' | 'IPv6';
  readonly trustsProxy: boolean;
  /**
   * Requests on it that are not answered yet; one that became a WebSocket never is. The HTTP server counts
   * them.
   */
  openRequests = 0;
  readonly #channel: ClientChannel;
  readonly #line: Socket;
  readonly #traffic: Traffic;
  readonly #clock: Clock;
  /** Emits `timeout` after this many ms without traffic, as sockets do; 0 disables it. */
  readonly setTimeout = (timeoutMs: number, onTimeout?: () => void): this => {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    if (onTimeout) this.once('timeout', onTimeout);
    if (timeoutMs > 0) this.#watch(timeoutMs, timeoutMs);
    return this;
  };
  #usedMs: number;
  #cancelTimeout: Cancel | undefined;

  constructor(options: TunnelConnectionOptions) {
    super();
    const { channel, traffic } = options;
    this.remoteAddress = options.remoteAddress;
    this.remotePort = options.remotePort;
    this.remoteFamily = options.remoteAddress.includes(':') ? 'IPv6' : 'IPv4';
    this.trustsProxy = options.trustsProxy;
    this.#channel = channel;
    this.#line = options.line;
    this.#traffic = traffic;
    this.#clock = options.clock;
    this.#usedMs = this.#clock.monotonicMs();
    channel.on('data', (chunk: Buffer) => this.#receive(chunk));
    channel.on('end', () => this.push(null));
    channel.on('close', () => this.destroy());
    channel.on('error', () => this.destroy());
  }

  /** How long it has been idle, ms; undefined while a request is open. */
  get restingMs(): number | undefined {
    return this.openRequests > 0 ? undefined : this.#clock.monotonicMs() - this.#usedMs;
  }

  /** A packet is sent as soon as it is written: there is nothing to disable. */
  setNoDelay(): this {
    return this;
  }

  /** The keep-alive covers the relay's whole connection. */
  setKeepAlive(): this {
    return this;
  }

  /** Ends once all written data has been sent. */
  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else {
      this.once('finish', () => this.destroy());
      this.end();
    }
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, 0, done);
  }

  override _final(done: () => void): void {
    this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#cancelTimeout?.();
    this.#channel.destroy();
    // Remaining data is read and dropped: the channel closes only after it was read to the end.
    this.#channel.resume();
    done(error);
  }

  #receive(chunk: Buffer): void {
    if (this.destroyed) return;
    this.#usedMs = this.#clock.monotonicMs();
    this.#traffic.receivedBytes += chunk.length;
    if (!this.push(chunk)) this.#channel.pause();
  }

  #send(chunk: Buffer, from: number, done: (error?: Error | null) => void): void {
    const piece = chunk.subarray(from, from + pieceBytes);
    const next = from + piece.length;
    this.#channel.write(piece, (error?: Error | null) => {
      this.#usedMs = this.#clock.monotonicMs();
      if (error) {
        done(error);
        return;
      }
      this.#traffic.sentBytes += piece.length;
      this.#whenLineIsFree(() => {
        if (next >= chunk.length) done();
        else if (this.destroyed) done(new Error('The client disconnected.'));
        else this.#send(chunk, next, done);
      });
    });
  }

  #whenLineIsFree(go: () => void): void {
    if (this.#line.writableNeedDrain) this.#line.once('drain', go);
    else go();
  }

  #watch(timeoutMs: number, delayMs: number): void {
    this.#cancelTimeout = this.#clock.after(delayMs, () => {
      const idleMs = this.#clock.monotonicMs() - this.#usedMs;
      if (idleMs >= timeoutMs) this.emit('timeout');
      else this.#watch(timeoutMs, timeoutMs - idleMs);
    });
  }
}
