import { createHash, hkdfSync } from 'node:crypto';
import { KeyPair } from '../base/key-pair.ts';

const purpose = 'vidette export signature 1';

/**
 * Signs packages with Ed25519. The key is derived from the server's secret by HKDF (RFC 5869), so that a backup
 * of that secret covers this key too, and no additional file has to be protected.
 */
export class SigningKey {
  /** The raw public key, 32 bytes. */
  readonly publicBytes: Buffer;
  readonly #pair: KeyPair;

  constructor(secret: Uint8Array) {
    this.#pair = new KeyPair(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
    this.publicBytes = this.#pair.publicBytes;
  }

  get fingerprint(): string {
    return fingerprintOf(this.publicBytes);
  }

  /** 64 bytes. */
  sign(bytes: Uint8Array): Buffer {
    return this.#pair.sign(bytes);
  }
}

/**
 * Fingerprint of a raw public key, for users to compare: the first 16 bytes of its SHA-256 as `ab12-...`, in
 * groups of four digits.
 */
export function fingerprintOf(publicBytes: Uint8Array): string {
  const digits = createHash('sha256').update(publicBytes).digest('hex').slice(0, 32);
  return (digits.match(/.{4}/g) ?? []).join('-');
}
