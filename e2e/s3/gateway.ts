import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback between S3 clients and a store; subclasses determine what happens to a request. */
export abstract class Gateway {
  readonly #port: number;
  readonly #server: Server;

  /** @param port of the store, on loopback */
  protected constructor(port: number) {
    this.#port = port;
    this.#server = createServer((incoming, reply) => {
      this.pass(incoming, reply).catch((error: unknown) => reply.destroy(error as Error));
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  protected abstract pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void>;

  /** The store's answer to a request, which is forwarded unchanged. */
  protected ask(incoming: IncomingMessage): Promise<IncomingMessage> {
    const { method, headers, url: path } = incoming;
    const onward = request({ host: '127.0.0.1', port: this.#port, method, headers, path, agent: false });
    const answered = Promise.withResolvers<IncomingMessage>();
    onward.on('response', answered.resolve);
    // Swift sends a body with its answer to HEAD, which no longer matters then.
    onward.on('error', answered.reject);
    incoming.pipe(onward);
    return answered.promise;
  }
}
