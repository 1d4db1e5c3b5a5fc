import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { createFile } from '../base/durable.ts';
import { featuresOf, LicenseClaims, writeLicense } from '../system/license-text.ts';

type Out = (line: string) => void;

/**
 * `vidette new-license-key FILE`: creates a key that signs licenses, and prints the public half for
 * `license.vendorKey`.
 */
export async function newLicenseKey(file: string, out: Out): Promise<number> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  if (!(await createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600))) {
    out(`${file} exists already, and a key is not overwritten.`);
    return 1;
  }
  out(publicKey.export({ type: 'spki', format: 'pem' }).toString().trim());
  return 0;
}

/** The options of `issue-license` after the key file. */
const licenseOptions = {
  owner: { type: 'string', default: '' },
  type: { type: 'string', default: 'standard' },
  days: { type: 'string' },
  streams: { type: 'string', default: '-1' },
  /** If omitted: everything that a license of this type covers. */
  features: { type: 'string' },
} as const;

/** `vidette issue-license KEYFILE [options]`: prints a license signed by the key. */
export async function issueLicense(args: readonly string[], clock: Clock, out: Out): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: licenseOptions,
    allowPositionals: true,
  });
  const [keyFile, ...rest] = positionals;
  if (keyFile === undefined || rest.length > 0) {
    out('Expected the key file, and options only.');
    return 2;
  }
  const nowMs = clock.wallMs();
  const days = values.days === undefined ? undefined : Number(values.days);
  const claims = LicenseClaims.safeParse({
    version: 1,
    owner: values.owner,
    productType: values.type,
    issuedAt: nowMs,
    expiresAt: days === undefined ? null : Math.round(nowMs + days * 86_400_000),
    maxStreams: Number(values.streams),
    features: values.features?.split(',').filter((feature) => feature !== '') ?? featuresOf(values.type),
  });
  if (!claims.success) {
    out(claims.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
    return 2;
  }
  const pem = await readFile(keyFile, 'utf8');
  if (createPublicKey(pem).asymmetricKeyType !== 'ed25519') {
    out(`${keyFile} contains no Ed25519 key.`);
    return 1;
  }
  out(writeLicense(claims.data, pem));
  return 0;
}
