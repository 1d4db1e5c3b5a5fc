import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

/** DER around a raw Ed25519 key (RFC 8410, 7 and 4). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const purpose = 'vidette export signature 1';

/**
 * Signs packages with Ed25519. The key comes from the server's secret by HKDF (RFC 5869), so that whoever keeps a backup
 * of that keeps this one too, and no further file has to be guarded.
 */
export class SigningKey {
  /** The raw public key, 32 bytes. */
  readonly publicBytes: Buffer;
  readonly #private: KeyObject;

  constructor(secret: Uint8Array) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
    this.#private = createPrivateKey({
      key: Buffer.concat([privatePrefix, seed]),
      format: 'der',
      type: 'pkcs8',
    });
    const der = createPublicKey(this.#private).export({ format: 'der', type: 'spki' });
    this.publicBytes = der.subarray(publicPrefix.length);
  }

  get fingerprint(): string {
    return fingerprintOf(this.publicBytes);
  }

  /** 64 bytes. */
  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#private);
  }
}

/** Of a raw public key, for people to compare: the first 16 bytes of its SHA-256 as `ab12-...`, four digits each. */
export function fingerprintOf(publicBytes: Uint8Array): string {
  const digits = createHash('sha256').update(publicBytes).digest('hex').slice(0, 32);
  return (digits.match(/.{4}/g) ?? []).join('-');
}

/** Whether a signature is of these bytes by this raw public key. */
export function isSignedBy(publicBytes: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicBytes.length !== 32 || signature.length !== 64) return false;
  const key = createPublicKey({
    key: Buffer.concat([publicPrefix, publicBytes]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, bytes, key, signature);
}
