import { once } from 'node:events';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import type { LiveMessage } from '@vidette/contract/live';
import { until } from './api.ts';
import type { TestServer } from './server.ts';

export type InitMessage = Extract<LiveMessage, { type: 'init' }>;

/** The media of one generation of a live stream, as appended to a browser's buffer. */
export interface LiveMedia {
  readonly init: InitMessage;
  readonly initSegment: Buffer | undefined;
  readonly fragments: readonly Buffer[];
}

/** One viewer of a live stream over its WebSocket. */
export class LiveViewer {
  /** Text messages in order. */
  readonly messages: LiveMessage[] = [];
  readonly #socket: WebSocket;
  readonly #media: { init: InitMessage; initSegment: Buffer | undefined; fragments: Buffer[] }[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (bytes: Buffer, isBinary: boolean) => this.#take(bytes, isBinary));
  }

  /** Connects as the server's own page does. */
  static async watch(server: TestServer, cookie: string, uid: string, query = {}): Promise<LiveViewer> {
    const address = server.url.replace('http', 'ws') + addressOf('watchStream', { uid }, query);
    const socket = new WebSocket(address, { headers: { cookie, origin: server.url } });
    const viewer = new LiveViewer(socket);
    await once(socket, 'open');
    return viewer;
  }

  /** The data so far, a new member with each `init`. */
  get media(): readonly LiveMedia[] {
    return this.#media;
  }

  /** Waits until the newest generation has this number of fragments. */
  async receive(fragments: number): Promise<LiveMedia> {
    const media = await until(
      () => this.#media.at(-1),
      (newest) => (newest?.fragments.length ?? 0) >= fragments,
    );
    if (!media) throw new Error('Nothing was received');
    return media;
  }

  /** Stops reading from the network; sent data waits in buffers. */
  stopReading(): void {
    this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      const message = JSON.parse(bytes.toString()) as LiveMessage;
      this.messages.push(message);
      if (message.type === 'init') this.#media.push({ init: message, initSegment: undefined, fragments: [] });
      return;
    }
    const newest = this.#media.at(-1);
    if (!newest) throw new Error('Media arrived before its init message');
    if (newest.initSegment) newest.fragments.push(bytes);
    else newest.initSegment = bytes;
  }
}
