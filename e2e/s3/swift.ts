import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

const script = fileURLToPath(new URL('swift-server.py', import.meta.url));
const bucket = 'footage';

/**
 * A store with the S3 protocol: OpenStack Swift, as packaged by Debian (`swift-server.py`), with one empty
 * bucket.
 */
export class SwiftStore {
  readonly accessKey = 'test:vidette';
  readonly secretKey = 'the-secret-of-the-store-41';
  readonly #folder: string;
  readonly #client: S3Client;
  #child: ChildProcess;
  readonly port: number;

  private constructor(folder: string, started: { child: ChildProcess; port: number }) {
    this.#folder = folder;
    this.#child = started.child;
    this.port = started.port;
    this.#client = new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: this.accessKey, secretAccessKey: this.secretKey },
    });
  }

  static async start(): Promise<SwiftStore> {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-swift-'));
    const keys = { accessKey: 'test:vidette', secretKey: 'the-secret-of-the-store-41' };
    const store = new SwiftStore(folder, await launch({ folder, port: 0, ...keys }));
    await store.#client.send(new CreateBucketCommand({ Bucket: bucket }));
    return store;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The environment by which the product uses it. */
  get env(): Record<string, string> {
    return {
      VIDETTE_S3_ENDPOINT: this.endpoint,
      VIDETTE_S3_BUCKET: bucket,
      VIDETTE_S3_PREFIX: 'cameras/north',
      VIDETTE_S3_ACCESS_KEY_ID: this.accessKey,
      VIDETTE_S3_SECRET_ACCESS_KEY: this.secretKey,
    };
  }

  /** The keys of all objects that are segments. */
  async segments(): Promise<string[]> {
    const { Contents = [] } = await this.#client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key).filter((key) => key.endsWith('.mp4'));
  }

  /** Flips one bit of every stored segment object, on its own disk. Returns how many there were. */
  async spoilOnDisk(): Promise<number> {
    const all = await readdir(join(this.#folder, 'devices'), { recursive: true });
    const files = all.filter((name) => name.includes('/objects/') && name.endsWith('.data'));
    let spoilt = 0;
    for (const name of files) {
      const file = await open(join(this.#folder, 'devices', name), 'r+');
      try {
        const { buffer: bytes, bytesRead } = await file.read(Buffer.alloc(201), 0, 201, 0);
        // A segment, and not the marker.
        if (bytesRead < 201 || bytes.toString('latin1', 4, 8) !== 'ftyp') continue;
        await file.write(Buffer.of((bytes[200] ?? 0) ^ 1), 0, 1, 200);
        spoilt++;
      } finally {
        await file.close();
      }
    }
    return spoilt;
  }

  /** Suspends it: it accepts connections and sends nothing, like a machine that hangs. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops it; its data is kept. */
  async halt(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Starts it again on its port, with its data. */
  async resume(): Promise<void> {
    const { accessKey, secretKey, port } = this;
    ({ child: this.#child } = await launch({ folder: this.#folder, port, accessKey, secretKey }));
  }

  async stop(): Promise<void> {
    this.#client.destroy();
    await this.halt();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function launch(options: {
  folder: string;
  port: number;
  accessKey: string;
  secretKey: string;
}): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn('/usr/bin/python3', [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const first = await Promise.race([line, once(child, 'exit').then(() => undefined)]);
  if (!first) throw new Error('Swift ended before it listened');
  return { child, port: (JSON.parse(first[0]) as { port: number }).port };
}
