import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** DER around a raw Ed25519 key (RFC 8410, 7 and 4). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Of an Ed25519 seed, bytes. */
export const seedBytes = 32;

/** Ed25519 from a seed of 32 bytes. */
export class KeyPair {
  /** Raw, 32 bytes. */
  readonly publicBytes: Buffer;
  readonly #private: KeyObject;

  constructor(seed: Uint8Array) {
    this.#private = createPrivateKey({
      key: Buffer.concat([privatePrefix, seed]),
      format: 'der',
      type: 'pkcs8',
    });
    const der = createPublicKey(this.#private).export({ format: 'der', type: 'spki' });
    this.publicBytes = der.subarray(publicPrefix.length);
  }

  /** 64 bytes. */
  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#private);
  }
}

/** Whether a signature over these bytes verifies with this raw public key. */
export function isSignedBy(publicBytes: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicBytes.length !== 32 || signature.length !== 64) return false;
  const key = createPublicKey({
    key: Buffer.concat([publicPrefix, publicBytes]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, bytes, key, signature);
}
