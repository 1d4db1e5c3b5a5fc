import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { Gateway } from './gateway.ts';
import type { SwiftStore } from './swift.ts';

/**
 * A gateway in front of a store that ignores Content-MD5 and re-signs what it forwards, as caches and gateways
 * do: while corruption is on, it flips one bit of each segment, or of each part of one, that is sent through
 * it.
 */
export class SpoilingGateway extends Gateway {
  spoils = true;
  /** Whether one bit of each segment that is read through it is flipped. */
  spoilsReads = false;
  /** Whether it replaces entity tags with its own, as with a store's own encryption. */
  hidesEtags = false;
  spoilt = 0;
  /** How many of them were parts of objects. */
  spoiltParts = 0;
  /** Called after each object that it sent, before it answers. */
  onSent: () => Promise<void> = async () => {};
  readonly #client: S3Client;

  private constructor(store: SwiftStore) {
    super(store.port);
    this.#client = new S3Client({
      endpoint: store.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: store.accessKey, secretAccessKey: store.secretKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }

  static start(store: SwiftStore): Promise<SpoilingGateway> {
    return new SpoilingGateway(store).listen();
  }

  override stop(): Promise<void> {
    this.#client.destroy();
    return super.stop();
  }

  protected async pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.endpoint);
    const isSegment = pathname.endsWith('.mp4');
    if (incoming.method === 'PUT' && isSegment) {
      await this.#put(pathname, searchParams, incoming, reply);
      return;
    }
    const answer = await this.ask(incoming);
    const etag = this.hidesEtags && isSegment ? { etag: '"of-another-kind"' } : {};
    reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...etag });
    if (incoming.method === 'GET' && isSegment && this.spoilsReads) answer.pipe(spoiling()).pipe(reply);
    else answer.pipe(reply);
  }

  async #put(
    pathname: string,
    query: URLSearchParams,
    incoming: IncomingMessage,
    reply: ServerResponse,
  ): Promise<void> {
    const body = await buffer(incoming);
    if (this.spoils) {
      body[200] = (body[200] ?? 0) ^ 1;
      this.spoilt++;
      if (query.has('partNumber')) this.spoiltParts++;
    }
    const [, bucket = '', ...key] = decodeURIComponent(pathname).split('/');
    const object = { Bucket: bucket, Key: key.join('/'), Body: body };
    const { ETag = '' } = query.has('partNumber')
      ? await this.#client.send(
          new UploadPartCommand({
            ...object,
            PartNumber: Number(query.get('partNumber')),
            UploadId: query.get('uploadId') ?? '',
          }),
        )
      : await this.#client.send(new PutObjectCommand({ ...object, Metadata: metadataOf(incoming) }));
    await this.onSent();
    reply.writeHead(200, { etag: ETag, 'content-length': '0' });
    reply.end();
  }
}

function metadataOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    ),
  );
}

/** Flips one bit in the middle of the first chunk. */
function spoiling(): Transform {
  let isDone = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.from(chunk);
      const middle = bytes.length >> 1;
      if (!isDone) bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      isDone = true;
      done(null, bytes);
    },
  });
}
