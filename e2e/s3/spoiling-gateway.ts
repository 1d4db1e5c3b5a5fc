import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { SwiftStore } from './swift.ts';

/**
 * A gateway before a store that ignores Content-MD5 and signs again what it passes on, as caches and gateways do: while it
 * spoils, one bit of each segment that is sent through it is another one behind it.
 */
export class SpoilingGateway {
  spoils = true;
  spoilt = 0;
  readonly #store: SwiftStore;
  readonly #client: S3Client;
  readonly #server: Server;

  private constructor(store: SwiftStore) {
    this.#store = store;
    this.#client = new S3Client({
      endpoint: store.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: store.accessKey, secretAccessKey: store.secretKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    this.#server = createServer((incoming, reply) => {
      this.#pass(incoming, reply).catch((error: unknown) => reply.destroy(error as Error));
    });
  }

  static async start(store: SwiftStore): Promise<SpoilingGateway> {
    const gateway = new SpoilingGateway(store);
    gateway.#server.listen(0, '127.0.0.1');
    await once(gateway.#server, 'listening');
    return gateway;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#client.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', this.endpoint);
    if (incoming.method === 'PUT' && pathname.endsWith('.mp4')) {
      await this.#put(pathname, incoming, reply);
      return;
    }
    const { method, headers, url } = incoming;
    const onward = request({
      host: '127.0.0.1',
      port: this.#store.port,
      method,
      headers,
      path: url,
      agent: false,
    });
    const answered = Promise.withResolvers<IncomingMessage>();
    onward.on('response', answered.resolve);
    // Swift sends a body with its answer to HEAD, which no longer matters then.
    onward.on('error', answered.reject);
    incoming.pipe(onward);
    const answer = await answered.promise;
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  }

  async #put(pathname: string, incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    if (this.spoils) {
      body[200] = (body[200] ?? 0) ^ 1;
      this.spoilt++;
    }
    const [, bucket = '', ...key] = decodeURIComponent(pathname).split('/');
    const Metadata = Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
      ),
    );
    const object = { Bucket: bucket, Key: key.join('/'), Body: body, Metadata };
    const { ETag = '' } = await this.#client.send(new PutObjectCommand(object));
    reply.writeHead(200, { etag: ETag, 'content-length': '0' });
    reply.end();
  }
}
