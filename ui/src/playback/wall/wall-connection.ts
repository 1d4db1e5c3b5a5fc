import { wallLimits } from '@vidette/contract/constants';
import type { WallRequest } from '@vidette/contract/wall';
import type { Disposer, PageClock } from '../../base/clock.ts';
import type { LiveLink, LiveLinkEvents } from '../live-link.ts';
import { parseWallMessage } from '@vidette/contract/live';
import { RetryTimer } from '../../base/retry-timer.ts';

export interface WallConnectionOptions {
  /** Opens the wall's socket; `binaryType` is set here. */
  readonly open: () => WebSocket;
  readonly clock: PageClock;
}

/** The request for one tile's video. */
export type WallWatch = Omit<Extract<WallRequest, { type: 'watch' }>, 'type' | 'channel'>;

interface WallTileChannel {
  readonly watch: WallWatch;
  readonly events: LiveLinkEvents;
  readonly retry: RetryTimer;
  /** Its number on the current socket; undefined while it is not open there. */
  number: number | undefined;
}

/** The server sends a keep-alive every few seconds; one that misses three of them counts as gone. */
const SILENT_MS = 3 * wallLimits.aliveMs;
const WATCH_MS = 2000;
/** WebSocket.OPEN, for environments without WebSocket. */
const OPEN = 1;

/**
 * One WebSocket for all tiles of a wall, opened with the first and closed after the last. When it is lost,
 * every channel is notified, and reopened on the next one. A channel that the server ended is retried by
 * itself.
 */
export class WallConnection {
  readonly #options: WallConnectionOptions;
  readonly #channels = new Set<WallTileChannel>();
  readonly #byNumber = new Map<number, WallTileChannel>();
  readonly #retry: RetryTimer;
  readonly #cancelWatch: Disposer;
  #socket: WebSocket | undefined;
  #heardMs = 0;
  /** The last socket was lost and no other has delivered anything yet. */
  #isLost = false;
  #lastNumber = 0;
  #isReplacing = false;

  constructor(options: WallConnectionOptions) {
    this.#options = options;
    this.#retry = new RetryTimer(options.clock);
    this.#cancelWatch = options.clock.every(WATCH_MS, () => this.#checkAlive());
  }

  /** Requests a tile's video; the request is repeated until the link is closed. */
  watch(watch: WallWatch, events: LiveLinkEvents): LiveLink {
    const channel: WallTileChannel = {
      watch,
      events,
      retry: new RetryTimer(this.#options.clock),
      number: undefined,
    };
    this.#channels.add(channel);
    this.#ask(channel);
    // A tile that starts while the server is unreachable is notified like the others, once it has its link.
    if (this.#isLost)
      queueMicrotask(() => {
        if (this.#isLost && this.#channels.has(channel)) events.onLost();
      });
    return {
      wake: () => this.wake(),
      restart: () => {
        if (!this.#channels.has(channel)) return;
        this.#leave(channel);
        channel.retry.after(() => this.#ask(channel));
      },
      close: () => {
        if (!this.#channels.delete(channel)) return;
        this.#leave(channel);
        if (this.#channels.size === 0 && !this.#isReplacing) this.#drop();
      },
    };
  }

  /** The socket stays open while `swap` closes links and opens others, even if the only link is among them. */
  replace(swap: () => void): void {
    this.#isReplacing = true;
    try {
      swap();
    } finally {
      this.#isReplacing = false;
      if (this.#channels.size === 0) this.#drop();
    }
  }

  /** Network back, tab shown, machine awake: ends a pause now, drops a dead socket. */
  wake(): void {
    if (this.#retry.isPending) {
      this.#retry.succeeded();
      this.#connect();
    } else this.#checkAlive();
  }

  /** Idempotent; all links are dead afterwards. */
  close(): void {
    this.#cancelWatch();
    for (const channel of this.#channels) channel.retry.cancel();
    this.#channels.clear();
    this.#drop();
  }

  #ask(channel: WallTileChannel): void {
    channel.retry.cancel();
    if (!this.#socket && !this.#retry.isPending) this.#connect();
    const socket = this.#socket;
    // Channels requested before the socket is open are opened when it is.
    if (!socket || socket.readyState !== OPEN) return;
    this.#lastNumber += 1;
    channel.number = this.#lastNumber;
    this.#byNumber.set(this.#lastNumber, channel);
    socket.send(JSON.stringify({ type: 'watch', channel: this.#lastNumber, ...channel.watch }));
  }

  #leave(channel: WallTileChannel): void {
    channel.retry.cancel();
    if (channel.number === undefined) return;
    this.#byNumber.delete(channel.number);
    if (this.#socket?.readyState === OPEN) {
      this.#socket.send(JSON.stringify({ type: 'leave', channel: channel.number }));
    }
    channel.number = undefined;
  }

  #connect(): void {
    this.#retry.cancel();
    const socket = this.#options.open();
    this.#socket = socket;
    this.#heardMs = this.#options.clock.wallMs();
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return;
      for (const channel of this.#channels) this.#ask(channel);
    });
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (this.#socket === socket) this.#receive(event.data);
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #receive(data: unknown): void {
    this.#heardMs = this.#options.clock.wallMs();
    this.#isLost = false;
    if (data instanceof ArrayBuffer) {
      if (data.byteLength < wallLimits.headerBytes) return;
      const channel = this.#byNumber.get(new DataView(data).getUint32(0));
      channel?.retry.succeeded();
      channel?.events.onMedia(new Uint8Array(data, wallLimits.headerBytes));
      return;
    }
    try {
      this.#read(String(data));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // Not our protocol (for example a proxy's page): this socket is unusable.
      this.#lost();
    }
  }

  #read(text: string): void {
    const { channel: number, message } = parseWallMessage(text);
    this.#retry.succeeded();
    if (number === undefined || !message) return;
    const channel = this.#byNumber.get(number);
    if (!channel) return;
    if (message.type === 'end') {
      this.#byNumber.delete(number);
      channel.number = undefined;
      // Before the event is passed on: a listener that closes the link in response also ends the retries.
      channel.retry.after(() => this.#ask(channel));
    }
    channel.events.onMessage(message);
  }

  #checkAlive(): void {
    if (this.#socket && this.#options.clock.wallMs() - this.#heardMs > SILENT_MS) this.#lost();
  }

  #lost(): void {
    this.#drop();
    this.#isLost = true;
    for (const channel of this.#channels) {
      channel.number = undefined;
      channel.retry.cancel();
      channel.events.onLost();
    }
    if (this.#channels.size > 0 && !this.#socket) this.#retry.after(() => this.#connect());
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#byNumber.clear();
    this.#retry.cancel();
    socket?.close();
  }
}
