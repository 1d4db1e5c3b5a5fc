import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Secrets that grant access. They come from the system's random generator, and only their SHA-256 is stored:
 * 256 random bits need no slow hash.
 */

/** 256 random bits as base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored in place of a secret, hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A public identifier for something that has a secret, hex. */
export function newPublicId(): string {
  return randomBytes(12).toString('hex');
}

const uidLetters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A new uid of a stream: 12 unambiguous letters and digits. */
export function newUid(): string {
  return lettersOf(uidLetters, 12);
}

const codeLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A code that users copy from a console or an e-mail, as in `7KQW-M3XP`: 40 random bits. */
export function newCode(): string {
  const letters = lettersOf(codeLetters, 8);
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Case, spaces and the hyphen of a code are ignored. */
export function isSameCode(typed: string, code: string): boolean {
  return timingSafeEqual(Buffer.from(hashCode(typed)), Buffer.from(hashCode(code)));
}

/** What is stored in place of a code, hex; the same however it is typed. */
export function hashCode(code: string): string {
  return hashSecret(code.toUpperCase().replace(/[^A-Z0-9]/g, ''));
}

/** The alphabet has 32 letters, so that the low five bits of a byte select one without bias. */
function lettersOf(alphabet: string, count: number): string {
  return Array.from(randomBytes(count), (byte) => alphabet[byte & 31]).join('');
}
