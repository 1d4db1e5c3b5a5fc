import { wallLimits } from '@vidette/contract/constants';
import type { ErrorCode } from '@vidette/contract/errors';
import { encodeWallMessage, type LiveMessage } from '@vidette/contract/live';
import { WallRequest } from '@vidette/contract/wall';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { heartbeat } from './heartbeat.ts';
import type { Live } from './live.ts';
import { closeCodes, closeTimeoutMs } from './socket.ts';
import { WallChannel, type WallLine, type WallSource } from './wall-channel.ts';

export interface WallSocketOptions {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly log: Log;
  readonly live: Live;
  /**
   * Admits a viewer to one stream; rejects with a Fault if they may not watch it.
   * @param end to be called when the right to watch is withdrawn later
   */
  readonly admit: (request: WallWatchRequest, end: (code: ErrorCode) => void) => Promise<WallSource>;
}

export type WallWatchRequest = Extract<WallRequest, { type: 'watch' }>;

/**
 * Bytes in transit to one viewer, all channels together: above the upper mark nothing is added, below the lower
 * one the channels resume.
 */
const highWaterBytes = 4 * 1024 * 1024;
const lowWaterBytes = 1024 * 1024;

/**
 * Carries the live sessions of many streams over one WebSocket. Each channel is requested by the page and
 * authorised separately; one that ends does not affect the others. Invalid input from the page closes the
 * socket.
 */
export class WallSocket implements WallLine {
  readonly #options: WallSocketOptions;
  /** The channel that has waited longest for its turn comes first. */
  readonly #channels = new Map<number, WallChannel>();
  #isDraining = false;

  constructor(options: WallSocketOptions) {
    this.#options = options;
    const { socket, clock, log } = options;
    const cancelPing = heartbeat(socket, clock);
    const cancelAlive = clock.every(wallLimits.aliveMs, () => this.#send('{"type":"alive"}'));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', (err) => log.debug({ err }, 'the connection of a wall was lost'));
    const leave = () => {
      cancelPing();
      cancelAlive();
      for (const channel of [...this.#channels.values()]) channel.close();
    };
    socket.on('close', leave);
    // The client may have disconnected while it was admitted; then no 'close' follows.
    if (socket.readyState === socket.CLOSED) leave();
  }

  get isFull(): boolean {
    return this.#options.socket.bufferedAmount > highWaterBytes;
  }

  text(channel: number, message: LiveMessage): void {
    this.#send(encodeWallMessage(channel, message));
  }

  media(channel: number, bytes: Uint8Array, onSent: () => void): void {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    const header = Buffer.allocUnsafe(wallLimits.headerBytes);
    header.writeUInt32BE(channel);
    // Two WebSocket frames of one message, so that a fragment shared by many viewers is not copied for any of
    // them.
    socket.send(header, { binary: true, compress: false, fin: false });
    socket.send(bytes, { binary: true, compress: false }, (error) => {
      if (error) return;
      onSent();
      this.#drain();
    });
  }

  closed(channel: number, code: ErrorCode, error: unknown): void {
    this.#channels.delete(channel);
    const { log } = this.#options;
    if (error !== undefined)
      log.error({ err: error }, 'a channel of a wall ended because of an internal error');
    // A viewer who is no longer signed in must not use this socket, whichever channel detected it.
    if (code === 'AuthorizationRequired') this.#close(closeCodes.normal, code);
  }

  #receive(data: RawData, isBinary: boolean): void {
    const request = !isBinary && Buffer.isBuffer(data) ? readRequest(data.toString()) : undefined;
    if (!request) {
      this.#close(closeCodes.policy, 'ValidationError');
      return;
    }
    if (request.type === 'leave') {
      // Unknown if the channel ended by itself while the page's message was in transit.
      this.#channels.get(request.channel)?.close();
      return;
    }
    if (this.#channels.has(request.channel) || this.#channels.size >= wallLimits.channelsMax) {
      this.#close(closeCodes.policy, 'ValidationError');
      return;
    }
    this.#watch(request);
  }

  #watch(request: WallWatchRequest): void {
    const { admit, live, log } = this.#options;
    const channel = new WallChannel(request.channel, this);
    this.#channels.set(request.channel, channel);
    const variant = { audio: request.audio, keyFramesOnly: request.keyFrames };
    admit(request, (code) => channel.end(code)).then(
      (source) => channel.begin(source, variant, (...session) => live.open(...session)),
      (error: unknown) => {
        if (!(error instanceof Fault)) log.error({ err: error }, 'a channel of a wall could not be opened');
        channel.end(error instanceof Fault ? error.code : 'InternalServerError');
      },
    );
  }

  /** Lets channels resume in turn, until the socket is full again. */
  #drain(): void {
    if (this.#isDraining || this.#options.socket.bufferedAmount > lowWaterBytes) return;
    this.#isDraining = true;
    for (const [number, channel] of [...this.#channels]) {
      if (this.isFull) break;
      channel.resume();
      if (this.#channels.delete(number)) this.#channels.set(number, channel);
    }
    this.#isDraining = false;
  }

  #send(text: string): void {
    const { socket } = this.#options;
    if (socket.readyState === socket.OPEN) socket.send(text);
  }

  #close(code: number, reason: ErrorCode): void {
    const { socket, clock } = this.#options;
    socket.close(code, reason);
    clock.after(closeTimeoutMs, () => socket.terminate());
  }
}

/** Undefined for an invalid request. */
function readRequest(text: string): WallRequest | undefined {
  try {
    return WallRequest.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
