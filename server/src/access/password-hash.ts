import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault } from '../base/fault.ts';

const derive = promisify(argon2);

/** argon2id with the parameters of OWASP's password storage guide: 19 MiB, two passes, one lane. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const saltBytes = 16;

/**
 * Hashing runs in Node's few pool threads, which the archive needs too: never more than this many in parallel.
 */
const maxRunning = 2;
const maxWaiting = 64;

const format = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

type Derive = typeof derive;

/** Creates and verifies password hashes in the PHC string format, a few at a time. */
export class PasswordHasher {
  readonly #deriveKey: Derive;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #decoy: Promise<string> | undefined;

  constructor(deriveKey: Derive = derive) {
    this.#deriveKey = deriveKey;
  }

  /** @throws Fault TooManyRequests when too many are waiting already. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const tag = await this.#derive(password, salt, parameters);
    const { memory, passes, parallelism } = parameters;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
  }

  /**
   * Whether the password matches the hash. Without a hash (no such user) it takes the same time and returns
   * false, so that the time does not reveal which users exist.
   */
  async verify(password: string, hash: string | null | undefined): Promise<boolean> {
    this.#decoy ??= this.hash('a password without an account');
    const parts = format.exec(hash ?? (await this.#decoy));
    if (!parts) throw new Error('A stored password hash is not in the expected format.');
    const [, memory, passes, parallelism, salt, expected] = parts as unknown as [string, ...string[]];
    const expectedTag = Buffer.from(expected ?? '', 'base64');
    const tag = await this.#derive(password, Buffer.from(salt ?? '', 'base64'), {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expectedTag.length,
    });
    return timingSafeEqual(tag, expectedTag) && typeof hash === 'string';
  }

  async #derive(password: string, nonce: Buffer, options: Readonly<HashParameters>): Promise<Buffer> {
    if (this.#running >= maxRunning) {
      if (this.#waiting.length >= maxWaiting) {
        throw new Fault('TooManyRequests', 'Too many simultaneous sign-ins.', {
          details: { retryAfterSeconds: 2 },
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await this.#deriveKey('argon2id', { message: password.normalize('NFKC'), nonce, ...options });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Memory in KiB, tag in bytes. */
interface HashParameters {
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
