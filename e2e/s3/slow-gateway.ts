import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../server/src/base/clock.ts';

/** How a store fails: it takes requests and is silent, stops in a body, or answers with an error. */
export type StoreFailure = 'silent' | 'stops' | 'internal-error' | 'unavailable' | 'slow-down';

const errors: Readonly<Partial<Record<StoreFailure, readonly [number, string]>>> = {
  'internal-error': [500, 'InternalError'],
  unavailable: [503, 'ServiceUnavailable'],
  'slow-down': [503, 'SlowDown'],
};

/** Bytes of a body after which it stops. */
const stopAtBytes = 4_096;

/** A gateway before a store, which fails as it is set to. What it passes on it leaves as it is. */
export class SlowGateway {
  /** Undefined: all works. */
  failure: StoreFailure | undefined;
  /** Each answer waits for this long, ms. */
  delayMs = 0;
  readonly #port: number;
  readonly #server: Server;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((incoming, reply) => {
      this.#pass(incoming, reply).catch((error: unknown) => reply.destroy(error as Error));
    });
  }

  /** @param port of the store, on loopback */
  static async start(port: number): Promise<SlowGateway> {
    const gateway = new SlowGateway(port);
    gateway.#server.listen(0, '127.0.0.1');
    await once(gateway.#server, 'listening');
    return gateway;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { failure } = this;
    if (failure === 'silent') return;
    const [status, code] = (failure && errors[failure]) ?? [];
    if (status !== undefined) {
      incoming.resume();
      reply.writeHead(status, { 'content-type': 'application/xml' });
      reply.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Later.</Message></Error>`);
      return;
    }
    const { method, headers, url: path } = incoming;
    const onward = request({ host: '127.0.0.1', port: this.#port, method, headers, path, agent: false });
    const answered = Promise.withResolvers<IncomingMessage>();
    onward.on('response', answered.resolve);
    // Swift sends a body with its answer to HEAD, which no longer matters then.
    onward.on('error', answered.reject);
    incoming.pipe(onward);
    const answer = await answered.promise;
    if (this.delayMs > 0) {
      await new Promise<void>((resolve) => void systemClock.after(this.delayMs, resolve));
    }
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    if (failure !== 'stops' || method !== 'GET') {
      answer.pipe(reply);
      return;
    }
    let bytes = 0;
    for await (const chunk of answer) {
      const piece = (chunk as Buffer).subarray(0, stopAtBytes - bytes);
      bytes += piece.length;
      reply.write(piece);
      if (bytes >= stopAtBytes) return;
    }
  }
}
