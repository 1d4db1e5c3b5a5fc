/** Authentication challenges: the values of WWW-Authenticate (RFC 9110, 11.6.1; RFC 7616, 3.3; RFC 7617). */

export interface BasicChallenge {
  readonly scheme: 'basic';
  readonly realm: string;
}

export interface DigestChallenge {
  readonly scheme: 'digest';
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** As sent; undefined means MD5. */
  readonly algorithm: string | undefined;
  readonly qop: readonly string[];
  /** The credentials were right but the nonce too old: the same ones may be tried again. */
  readonly isStale: boolean;
}

export type Challenge = BasicChallenge | DigestChallenge;

const maxChallenges = 16;
const maxParameters = 128;

/**
 * All challenges that are understood, in the order sent. One header value may hold several, separated by commas, as
 * are their parameters; unknown schemes and malformed pieces are passed over.
 */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const found: Challenge[] = [];
  for (const value of values) {
    for (const { scheme, parameters } of split(value)) {
      if (found.length >= maxChallenges) return found;
      const challenge = build(scheme, parameters);
      if (challenge) found.push(challenge);
    }
  }
  return found;
}

interface RawChallenge {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

function split(value: string): RawChallenge[] {
  const challenges: RawChallenge[] = [];
  const token = /\s*,?\s*([A-Za-z0-9_.~!#$%&'*+^`|-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y;
  for (let count = 0; count < maxParameters; count++) {
    const match = token.exec(value);
    if (!match) break;
    const [whole, name = '', quoted, bare] = match;
    if (whole.includes('=') && (quoted !== undefined || bare !== undefined)) {
      const text = quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/g, '$1');
      challenges.at(-1)?.parameters.set(name.toLowerCase(), text);
    } else {
      challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    }
  }
  return challenges;
}

function build(scheme: string, parameters: ReadonlyMap<string, string>): Challenge | undefined {
  const realm = parameters.get('realm') ?? '';
  if (scheme === 'basic') return { scheme, realm };
  const nonce = parameters.get('nonce');
  if (scheme !== 'digest' || nonce === undefined) return undefined;
  const qop = (parameters.get('qop') ?? '').split(',').map((part) => part.trim().toLowerCase());
  return {
    scheme,
    realm,
    nonce,
    opaque: parameters.get('opaque'),
    algorithm: parameters.get('algorithm'),
    qop: qop.filter((part) => part !== ''),
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}
