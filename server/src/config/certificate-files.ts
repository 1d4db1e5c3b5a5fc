/** The files of the server's certificate, which `tls` names. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError } from './load.ts';

/** Absolute paths of PEM files. */
export interface CertificateFiles {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Their content; times are ms since the epoch. */
export interface LoadedCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** Expiry is announced this long before; automatic renewal happens earlier. */
export const expiryNoticeMs = 7 * 86_400_000;

/** @throws ConfigError with one line that states which file is wrong, and why */
export async function readCertificate({
  certificatePath,
  keyPath,
}: CertificateFiles): Promise<LoadedCertificate> {
  const [cert, key] = await Promise.all([readPart('certificate', certificatePath), readPart('key', keyPath)]);
  const parsed = parse(
    `tls.certificate: ${certificatePath} holds no certificate in PEM.`,
    () => new X509Certificate(cert),
  );
  const secret = parse<KeyObject>(
    `tls.key: ${keyPath} holds no private key in PEM, or one with a password.`,
    () => createPrivateKey(key),
  );
  if (!parsed.checkPrivateKey(secret)) {
    throw new ConfigError(
      `tls: the key in ${keyPath} does not belong to the certificate in ${certificatePath}.`,
    );
  }
  parse(`tls: ${certificatePath} and ${keyPath} can't be used for TLS.`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key, validFromMs: Date.parse(parsed.validFrom), validToMs: Date.parse(parsed.validTo) };
}

async function readPart(name: 'certificate' | 'key', path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'no permission' : String(code);
    throw new ConfigError(`tls.${name}: ${path} can't be read: ${why}.`, { cause });
  }
}

function parse<T>(words: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new ConfigError(words, { cause });
  }
}
