import { createHash, randomBytes } from 'node:crypto';
import { parseChallenges, type Challenge, type DigestChallenge } from '@vidette/media/rtsp/challenge';
import type { Credentials } from './address.ts';

/** Digest algorithms by strength (RFC 7616, 6.1), with their names in challenges and in node:crypto. */
const algorithms: readonly { readonly name: string; readonly hash: string }[] = [
  { name: 'sha-512-256', hash: 'sha512-256' },
  { name: 'sha-256', hash: 'sha256' },
  { name: 'md5', hash: 'md5' },
];

export interface AuthorizationOptions {
  readonly credentials: Credentials | undefined;
  /** Basic reveals the password to the server: false after a redirect to another host. */
  readonly allowBasic: boolean;
}

/**
 * Answers the challenges of one server: Digest according to RFC 7616 (and RFC 2617 for older servers), Basic
 * according to RFC 7617.
 */
export class Authorization {
  readonly #options: AuthorizationOptions;
  #challenge: Challenge | undefined;
  #nonceCount = 0;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  /** The Authorization header of the next request; undefined before the first challenge. */
  header(method: string, uri: string): string | undefined {
    const { credentials } = this.#options;
    const challenge = this.#challenge;
    if (!credentials || !challenge) return undefined;
    if (challenge.scheme === 'digest') return this.#digest(challenge, credentials, method, uri);
    const { username, password } = credentials;
    return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
  }

  /**
   * Takes the challenges of a 401.
   * @param isFirst the request carried no authorization yet
   * @returns whether a retry makes sense: the credentials have not been rejected
   */
  challenged(values: readonly string[], isFirst: boolean): boolean {
    if (!this.#options.credentials) return false;
    const before = this.#challenge;
    const best = this.#best(parseChallenges(values));
    if (!best) return false;
    this.#challenge = best;
    this.#nonceCount = 0;
    if (isFirst) return true;
    // A new nonce without "stale" may mean either; the caller limits the number of retries.
    return (
      best.scheme === 'digest' && before?.scheme === 'digest' && (best.isStale || best.nonce !== before.nonce)
    );
  }

  #best(challenges: readonly Challenge[]): Challenge | undefined {
    for (const { name } of algorithms) {
      const found = challenges.find((item) => item.scheme === 'digest' && algorithmOf(item).name === name);
      if (found) return found;
    }
    return this.#options.allowBasic ? challenges.find(({ scheme }) => scheme === 'basic') : undefined;
  }

  #digest(
    challenge: DigestChallenge,
    { username, password }: Credentials,
    method: string,
    uri: string,
  ): string {
    const { realm, nonce, opaque } = challenge;
    const { name, isSession } = algorithmOf(challenge);
    const hashName = algorithms.find((item) => item.name === name)?.hash ?? 'md5';
    const hash = (text: string) => createHash(hashName).update(text, 'utf8').digest('hex');
    const cnonce = randomBytes(12).toString('hex');
    const count = (++this.#nonceCount).toString(16).padStart(8, '0');
    const secret = hash(`${username}:${realm}:${password}`);
    const a1 = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
    const a2 = hash(`${method}:${uri}`);
    const hasQop = challenge.qop.includes('auth');
    const response = hash(hasQop ? `${a1}:${nonce}:${count}:${cnonce}:auth:${a2}` : `${a1}:${nonce}:${a2}`);
    const fields = [
      `username=${quote(username)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(uri)}`,
      `response="${response}"`,
    ];
    if (challenge.algorithm !== undefined) fields.push(`algorithm=${challenge.algorithm}`);
    if (opaque !== undefined) fields.push(`opaque=${quote(opaque)}`);
    if (hasQop) fields.push(`qop=auth`, `nc=${count}`);
    if (hasQop || isSession) fields.push(`cnonce="${cnonce}"`);
    return `Digest ${fields.join(', ')}`;
  }
}

function algorithmOf(challenge: Challenge): { readonly name: string; readonly isSession: boolean } {
  const text = (challenge.scheme === 'digest' ? (challenge.algorithm ?? 'MD5') : '').toLowerCase();
  return text.endsWith('-sess')
    ? { name: text.slice(0, -'-sess'.length), isSession: true }
    : { name: text, isSession: false };
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
