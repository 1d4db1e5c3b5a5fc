import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../base/durable.ts';
import { Fault } from '../base/fault.ts';

/** Name of the key file, in the database folder. */
export const keyFileName = 'secret.key';
/**
 * Prefix of every sealed text; it names cipher and layout, so that both may change. No address has this scheme.
 */
export const sealedPrefix = 'v1:';
export const keyBytes = 32;

/** NIST SP 800-38D, 8.2.2: a random nonce of 96 bits is sufficient for 2^32 texts under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/**
 * Keeps values that must be read back, such as a camera's password, out of the database in clear: AES-256-GCM,
 * as `v1:` and the base64url of nonce, ciphertext and tag. `place` identifies where a text belongs; sealed text
 * that was moved to another place does not open.
 */
export class Seal {
  /** Given as bytes, it would be prepared again for each text: 20 µs instead of 4. */
  readonly #key: KeyObject;

  /** @throws Fault InternalServerError when the key is not one of 32 bytes */
  constructor(key: Buffer) {
    if (key.length !== keyBytes) {
      throw new Fault('InternalServerError', `The key must have ${keyBytes} bytes, not ${key.length}.`);
    }
    this.#key = createSecretKey(key);
  }

  seal(text: string, place: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(place));
    const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return sealedPrefix + body.toString('base64url');
  }

  /** The text; undefined when it was sealed with another key or for another place, was changed, or is not sealed. */
  open(sealed: string, place: string): string | undefined {
    if (!sealed.startsWith(sealedPrefix)) return undefined;
    const body = Buffer.from(sealed.slice(sealedPrefix.length), 'base64url');
    if (body.length < nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv(algorithm, this.#key, body.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(body.subarray(-tagBytes));
    const text = decipher.update(body.subarray(nonceBytes, -tagBytes));
    try {
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      // The only possible error of `final` here: the tag does not match.
      return undefined;
    }
  }
}

/** The key beside a database; undefined when there is none yet. @throws Fault when it is damaged, system errors */
export async function readKey(folder: string): Promise<Buffer | undefined> {
  const file = join(folder, keyFileName);
  let key: Buffer;
  try {
    key = await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (key.length !== keyBytes) {
    throw new Fault(
      'InternalServerError',
      `${file} is damaged: it has ${key.length} bytes, not ${keyBytes}.`,
    );
  }
  return key;
}

/**
 * Creates a key, flushed to disk before this returns and readable only by its owner. An existing one is kept:
 * of two processes that start simultaneously the second uses the first one's. @throws system errors
 */
export async function makeKey(folder: string): Promise<Buffer> {
  const key = randomBytes(keyBytes);
  if (await writeKey(folder, key)) return key;
  return (await readKey(folder)) ?? makeKey(folder);
}

/** Writes the key atomically unless one exists. False when one exists. @throws system errors */
export function writeKey(folder: string, key: Buffer): Promise<boolean> {
  return createFile(join(folder, keyFileName), key, 0o600);
}
