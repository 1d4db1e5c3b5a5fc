import { createECDH, hkdfSync } from 'node:crypto';

/** The key pair by which push services recognise this server (VAPID, RFC 8292), in base64url. */
export interface PushKeys {
  /** An uncompressed P-256 point. */
  readonly publicKey: string;
  /** 32 bytes. */
  readonly privateKey: string;
}

const purpose = 'vidette web push key 1';
/** The order of P-256 (FIPS 186-5, SP 800-186, 3.2.1.3). */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const scalarBytes = 32;
/** 64 bits more than the scalar has, so that the remainder is not biased (FIPS 186-5, A.2.1). */
const seedBytes = 40;

/**
 * The keys that follow from the server's secret by HKDF (RFC 5869): all nodes have the same, a backup of the secret
 * covers them, and no additional value has to be protected. If that secret is replaced, browsers must subscribe again.
 */
export function pushKeysOf(secret: Uint8Array): PushKeys {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, seedBytes));
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (order - 1n)) + 1n;
  const bytes = Buffer.from(scalar.toString(16).padStart(scalarBytes * 2, '0'), 'hex');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(bytes);
  return { publicKey: pair.getPublicKey('base64url'), privateKey: bytes.toString('base64url') };
}

/** Whether a browser's public key is a point to which a message can be encrypted. */
export function isPushPoint(publicKey: string): boolean {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  try {
    pair.computeSecret(publicKey, 'base64url');
    return true;
  } catch {
    // Not 65 bytes, or not on the curve.
    return false;
  }
}
