import type { Disposer, PageClock } from '../base/clock.ts';
import { RetryTimer } from '../base/retry-timer.ts';
import type { LiveLink, LiveLinkEvents } from './live-link.ts';
import { parseLiveMessage, type ReceivedLiveMessage } from '@vidette/contract/live';

export interface LiveConnectionOptions extends LiveLinkEvents {
  /** Opens a socket to the stream; `binaryType` is set here. */
  readonly open: () => WebSocket;
  readonly clock: PageClock;
}

/** A connection that delivered for this long counts as good: the next loss starts with the shortest pause... */
const GOOD_AFTER_MS = 10_000;
/** ...and one that delivered for this long, and is ended in order, is followed by another almost immediately. */
const DELIVERED_AFTER_MS = 1_000;
/**
 * A socket without any message for this long counts as dead; the server sends `waiting` when the source is
 * silent.
 */
const SILENT_MS = 20_000;

/**
 * Keeps one WebSocket to a live stream open until closed, with growing, jittered pauses between attempts. After
 * sleep or a network outage `wake` reconnects immediately. So does a server that hands the stream over to another of its
 * processes: the picture goes on from the buffer meanwhile.
 */
export class LiveConnection implements LiveLink {
  readonly #options: LiveConnectionOptions;
  #socket: WebSocket | undefined;
  readonly #retry: RetryTimer;
  readonly #cancelWatch: Disposer;
  #openedMs = 0;
  #heardMs = 0;
  #isExpectingMedia = false;
  /** The server ended a connection that had delivered. */
  #isHandedOver = false;
  #isClosed = false;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#retry = new RetryTimer(options.clock);
    this.#cancelWatch = options.clock.every(2000, () => this.#watch());
    this.#connect();
  }

  /**
   * Something changed for the better (network back, tab shown, machine awake): ends a pause now, drops a stale
   * socket.
   */
  wake(): void {
    if (this.#isClosed) return;
    if (this.#retry.isPending) {
      this.#retry.succeeded();
      this.#connect();
    } else this.#watch();
  }

  /** Drops the socket and reconnects without a pause, e.g. when its media could not be used. */
  restart(): void {
    if (this.#isClosed) return;
    this.#drop();
    this.#retry.after(() => this.#connect());
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWatch();
    this.#retry.cancel();
    this.#drop();
  }

  #connect(): void {
    this.#retry.cancel();
    const socket = this.#options.open();
    this.#socket = socket;
    this.#openedMs = this.#heardMs = this.#options.clock.wallMs();
    this.#isExpectingMedia = true;
    this.#isHandedOver = false;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (this.#socket === socket) this.#receive(event.data);
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #receive(data: unknown): void {
    const nowMs = this.#options.clock.wallMs();
    this.#heardMs = nowMs;
    if (nowMs - this.#openedMs > GOOD_AFTER_MS) this.#retry.succeeded();
    if (data instanceof ArrayBuffer) {
      this.#isExpectingMedia = true;
      this.#options.onMedia(new Uint8Array(data));
      return;
    }
    let message: ReceivedLiveMessage | undefined;
    try {
      message = parseLiveMessage(String(data));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // Not our protocol (for example a proxy's page): this socket is unusable.
      this.#lost();
      return;
    }
    if (!message) return;
    if (message.type === 'waiting') this.#isExpectingMedia = false;
    if (message.type === 'end' && message.code === 'Unavailable')
      this.#isHandedOver = this.#isExpectingMedia && nowMs - this.#openedMs > DELIVERED_AFTER_MS;
    this.#options.onMessage(message);
  }

  #watch(): void {
    if (!this.#socket || !this.#isExpectingMedia) return;
    if (this.#options.clock.wallMs() - this.#heardMs > SILENT_MS) this.#lost();
  }

  #lost(): void {
    this.#drop();
    this.#options.onLost();
    // The listener may have closed this connection for good.
    if (this.#isClosed) return;
    if (this.#isHandedOver) this.#retry.soon(() => this.#connect());
    else this.#retry.after(() => this.#connect());
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
