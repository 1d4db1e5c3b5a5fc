import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { Fault } from '../base/fault.ts';

/** The claims of a license. Times in milliseconds since the epoch. */
export const LicenseClaims = z.object({
  version: z.literal(1),
  owner: z.string().max(200),
  productType: z.enum(['community', 'standard', 'enterprise']),
  issuedAt: z.int(),
  expiresAt: z.int().nullable(),
  /** -1: no limit. */
  maxStreams: z.int().min(-1),
  features: z.array(z.string().max(50)).max(100),
});
export type LicenseClaims = z.infer<typeof LicenseClaims>;

const featuresOfAll = ['archive', 'share', 'mosaic', 'motion', 'tunnel'];

/** The defaults of licenses by type. */
export function featuresOf(productType: string): string[] {
  return productType === 'enterprise' ? [...featuresOfAll, 'cluster'] : [...featuresOfAll];
}

const begin = '-----BEGIN VIDETTE LICENSE-----';
const end = '-----END VIDETTE LICENSE-----';

/**
 * A license as text that can be stored and pasted: claims and their Ed25519 signature (RFC 8032), both
 * base64url.
 */
export function writeLicense(claims: LicenseClaims, privateKeyPem: string): string {
  const payload = Buffer.from(JSON.stringify(LicenseClaims.parse(claims)));
  const signature = sign(null, payload, createPrivateKey(privateKeyPem));
  const body = `${payload.toString('base64url')}.${signature.toString('base64url')}`;
  return [begin, ...(body.match(/.{1,64}/g) ?? []), end].join('\n');
}

/** @throws Fault IncorrectLicense unless the text is complete and signed with the key. */
export function readLicense(text: string, publicKeyPem: string): LicenseClaims {
  const match = /^-----BEGIN VIDETTE LICENSE-----([A-Za-z0-9_.\s-]+?)-----END VIDETTE LICENSE-----$/.exec(
    text.trim(),
  );
  const [payloadText, signatureText, ...rest] = (match?.[1] ?? '').replace(/\s/g, '').split('.');
  if (!payloadText || !signatureText || rest.length > 0)
    throw incorrect('This is not the text of a license.');
  const payload = Buffer.from(payloadText, 'base64url');
  const signature = Buffer.from(signatureText, 'base64url');
  if (!verify(null, payload, publicKey(publicKeyPem), signature)) {
    throw incorrect('The license is not signed by the expected key.');
  }
  const claims = LicenseClaims.safeParse(JSON.parse(payload.toString()));
  if (!claims.success) throw incorrect('The license does not say what this version needs.');
  return claims.data;
}

function publicKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The vendor key is not an Ed25519 public key.');
  return key;
}

function incorrect(message: string): Fault {
  return new Fault('IncorrectLicense', message, {
    details: { fields: [{ path: 'text', code: 'IncorrectLicense' }] },
  });
}
