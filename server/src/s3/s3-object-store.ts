import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import {
  partBytes,
  wholeMaxBytes,
  ObjectStoreError,
  type ObjectSummary,
  type ObjectStore,
} from '../archive/object-storage/object-storage.ts';
import type { SegmentReader } from '../archive/segments/segments.ts';
import type { Clock } from '../base/clock.ts';
import { redactText } from '../base/redact.ts';
import { RateLimiter } from '../base/rate-limiter.ts';

export interface S3ObjectStoreOptions {
  /** Undefined: the Amazon endpoint for the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Path-style addressing: the bucket is in the path, not in the host name. */
  readonly pathStyle: boolean;
  /** Applied to all uploads. */
  readonly bytesPerSecond: number | undefined;
  readonly clock: Clock;
}

/** Time limit for the first byte of a response. */
const answerMs = 8_000;
const connectMs = 4_000;
/** A part is 8 MB: a connection slower than 70 KB/s cannot keep up with any camera. */
const sendMs = 120_000;
/** A body that delivers nothing for this long (up to twice as long) is aborted. */
const bodyIdleMs = 4_000;
const removesAtOnce = 8;

/**
 * A bucket of an S3-compatible store. The SDK is loaded with the first request, so an installation without a
 * bucket doesn't pay for it. Its errors are mapped to ObjectStoreError here, without the SDK's own errors as
 * causes, because these contain complete requests.
 */
export class S3ObjectStore implements ObjectStore {
  readonly name: string;
  readonly #options: S3ObjectStoreOptions;
  readonly #rateLimiter: RateLimiter;
  readonly #closing = new AbortController();
  #client: Promise<{ sdk: typeof Sdk; client: Sdk.S3Client }> | undefined;

  constructor(options: S3ObjectStoreOptions) {
    this.#options = options;
    this.#rateLimiter = new RateLimiter(options.clock, options.bytesPerSecond);
    this.name = `${options.bucket} at ${options.endpoint ?? options.region}`;
  }

  find(key: string): Promise<ObjectSummary | undefined> {
    return this.#ask(answerMs, async ({ sdk, client }, abortSignal) => {
      const command = new sdk.HeadObjectCommand({ ...this.#place, Key: key });
      const { ContentLength, Metadata, ETag } = await client.send(command, { abortSignal });
      return { bytes: ContentLength ?? 0, metadata: Metadata ?? {}, etag: ETag };
    });
  }

  read(key: string, offset: number, length: number): Promise<Readable | undefined> {
    return this.#ask(answerMs, async ({ sdk, client }, late) => {
      const Range = `bytes=${offset}-${offset + length - 1}`;
      const command = new sdk.GetObjectCommand({ ...this.#place, Key: key, Range });
      // Not the deadline's signal: it would abort the body as well.
      const { Body } = await client.send(command, { abortSignal: this.#closing.signal });
      const body = Body as unknown as IncomingMessage;
      if (late.aborted) body.destroy();
      this.#watchRest(body);
      return body;
    });
  }

  async send(
    key: string,
    reader: Pick<SegmentReader, 'read'>,
    bytes: number,
    metadata: Record<string, string>,
  ): Promise<void> {
    const object = { ...this.#place, Key: key };
    const kind = { ContentType: key.endsWith('.mp4') ? 'video/mp4' : 'application/json', Metadata: metadata };
    if (bytes > wholeMaxBytes) {
      await this.#sendParts(object, kind, reader, bytes);
      return;
    }
    const body = await this.#body(reader, 0, bytes);
    await this.#must(sendMs, ({ sdk, client }, abortSignal) =>
      client.send(new sdk.PutObjectCommand({ ...object, ...kind, ...body }), { abortSignal }),
    );
  }

  async remove(keys: readonly string[]): Promise<void> {
    const waiting = [...keys];
    const work = async () => {
      for (let Key = waiting.shift(); Key !== undefined; Key = waiting.shift()) {
        const object = { ...this.#place, Key };
        await this.#ask(answerMs, ({ sdk, client }, abortSignal) =>
          client.send(new sdk.DeleteObjectCommand(object), { abortSignal }),
        );
      }
    };
    await Promise.all(Array.from({ length: removesAtOnce }, work));
  }

  async *list(
    prefix: string,
  ): AsyncGenerator<{ readonly key: string; readonly bytes: number }, void, undefined> {
    let token: string | undefined;
    do {
      const query = {
        ...this.#place,
        Prefix: prefix,
        ...(token !== undefined && { ContinuationToken: token }),
      };
      const page = await this.#must(answerMs, ({ sdk, client }, abortSignal) =>
        client.send(new sdk.ListObjectsV2Command(query), { abortSignal }),
      );
      for (const { Key, Size } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, bytes: Size ?? 0 };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async abandonSending(prefix: string): Promise<void> {
    for (;;) {
      const query = { ...this.#place, Prefix: prefix };
      const page = await this.#must(answerMs, ({ sdk, client }, abortSignal) =>
        client.send(new sdk.ListMultipartUploadsCommand(query), { abortSignal }),
      );
      for (const { Key, UploadId } of page.Uploads ?? [])
        await this.#abandon({ ...this.#place, Key, UploadId });
      if (page.IsTruncated !== true) return;
    }
  }

  close(): void {
    this.#closing.abort(new Error('the server stops'));
    void this.#client?.then(
      ({ client }) => client.destroy(),
      () => undefined,
    );
  }

  get #place(): { readonly Bucket: string } {
    return { Bucket: this.#options.bucket };
  }

  async #sendParts(
    object: { readonly Bucket: string; readonly Key: string },
    kind: { readonly ContentType: string; readonly Metadata: Record<string, string> },
    reader: Pick<SegmentReader, 'read'>,
    bytes: number,
  ): Promise<void> {
    const { UploadId } = await this.#must(answerMs, ({ sdk, client }, abortSignal) =>
      client.send(new sdk.CreateMultipartUploadCommand({ ...object, ...kind }), { abortSignal }),
    );
    const upload = { ...object, UploadId };
    try {
      const Parts: Sdk.CompletedPart[] = [];
      for (let at = 0; at < bytes; at += partBytes) {
        const PartNumber = Parts.length + 1;
        const part = {
          ...upload,
          PartNumber,
          ...(await this.#body(reader, at, Math.min(partBytes, bytes - at))),
        };
        const { ETag } = await this.#must(sendMs, ({ sdk, client }, abortSignal) =>
          client.send(new sdk.UploadPartCommand(part), { abortSignal }),
        );
        Parts.push({ PartNumber, ETag });
      }
      await this.#must(sendMs, ({ sdk, client }, abortSignal) =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
          abortSignal,
        }),
      );
    } catch (error) {
      // If this fails too, the next start finds the unfinished upload.
      await this.#abandon(upload).catch(() => undefined);
      throw error;
    }
  }

  async #abandon(upload: {
    readonly Bucket: string;
    readonly Key: string | undefined;
    readonly UploadId: string | undefined;
  }): Promise<void> {
    await this.#ask(answerMs, ({ sdk, client }, abortSignal) =>
      client.send(new sdk.AbortMultipartUploadCommand(upload), { abortSignal }),
    );
  }

  /** Aborts a body that delivers nothing for a while although the consumer has read everything so far. */
  #watchRest(body: IncomingMessage): void {
    let seenBytes = -1;
    const cancel = this.#options.clock.every(bodyIdleMs, () => {
      const { bytesRead } = body.socket;
      if (bytesRead === seenBytes && body.readableLength === 0) {
        body.destroy(new ObjectStoreError('away', `the transfer from ${this.name} stalled`));
      }
      seenBytes = bytesRead;
    });
    body.once('close', cancel);
  }

  /** Uploads one part, in order, with a digest that lets the store verify that it is complete. */
  async #body(
    reader: Pick<SegmentReader, 'read'>,
    offset: number,
    length: number,
  ): Promise<{ Body: Uint8Array; ContentLength: number; ContentMD5: string }> {
    try {
      await this.#rateLimiter.take(length, this.#closing.signal);
    } catch (error) {
      throw this.#errorOf(error);
    }
    const Body = await reader.read(offset, length);
    return { Body, ContentLength: length, ContentMD5: createHash('md5').update(Body).digest('base64') };
  }

  /** Undefined if there is no such object. */
  async #ask<T>(
    deadlineMs: number,
    request: (sdk: { sdk: typeof Sdk; client: Sdk.S3Client }, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const late = new AbortController();
    const tooLate = Promise.withResolvers<never>();
    // There may be no caller left that waits for it.
    tooLate.promise.catch(() => undefined);
    const cancel = this.#options.clock.after(deadlineMs, () => {
      const error = new Error(`no response within ${deadlineMs / 1000} seconds`);
      late.abort(error);
      tooLate.reject(error);
    });
    try {
      const client = await this.#connected();
      const answer = request(client, AbortSignal.any([late.signal, this.#closing.signal]));
      return await Promise.race([answer, tooLate.promise]);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#errorOf(error);
    } finally {
      cancel();
    }
  }

  /** The same, for requests that can only miss the bucket. */
  async #must<T>(
    deadlineMs: number,
    request: (sdk: { sdk: typeof Sdk; client: Sdk.S3Client }, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const answer = await this.#ask(deadlineMs, request);
    if (answer === undefined) throw new ObjectStoreError('refused', `${this.name}: not found`);
    return answer;
  }

  #connected(): Promise<{ sdk: typeof Sdk; client: Sdk.S3Client }> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<{ sdk: typeof Sdk; client: Sdk.S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region, pathStyle, accessKeyId, secretAccessKey } = this.#options;
    const client = new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint }),
      region,
      forcePathStyle: pathStyle,
      credentials: { accessKeyId, secretAccessKey },
      // The digest of every body is sent as MD5, which all stores support; few support the SDK's own checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 2,
      requestHandler: { connectionTimeout: connectMs },
    });
    return { sdk, client };
  }

  #errorOf(error: unknown): ObjectStoreError {
    if (error instanceof ObjectStoreError) return error;
    const { name, message, status } = partsOf(error);
    // A response without a body, as to HEAD, has no error message.
    const words = status !== undefined && message === 'UnknownError' ? `status ${status}` : message;
    const text = `${this.name}: ${redactText([name, words].filter(Boolean).join(': '))}`;
    if (status === undefined || status >= 500 || status === 408 || status === 429) {
      return new ObjectStoreError('away', text);
    }
    return new ObjectStoreError(name === 'BadDigest' ? 'damaged' : 'refused', text);
  }
}

function isMissing(error: unknown): boolean {
  const { name, status } = partsOf(error);
  return status === 404 && name !== 'NoSuchBucket';
}

function partsOf(error: unknown): { name: string; message: string; status: number | undefined } {
  const { name, message, code, $metadata } = error as {
    name?: string;
    message?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return { name: code ?? name ?? 'Error', message: message ?? '', status: $metadata?.httpStatusCode };
}
