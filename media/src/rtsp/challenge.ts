/** Authentication challenges: the values of WWW-Authenticate (RFC 9110, 11.6.1; RFC 7616, 3.3; RFC 7617). */

interface BasicChallenge {
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
  /** The credentials were right but the nonce was stale: the same ones may be tried again. */
  readonly isStale: boolean;
}

export type Challenge = BasicChallenge | DigestChallenge;

const maxChallenges = 16;
const maxParameters = 128;

/**
 * All supported challenges, in the order sent. One header value may contain several, separated by commas, as
 * are their parameters; unknown schemes and malformed parts are skipped.
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

/** Longer values are parsed up to this; real ones have a few hundred characters. */
const maxValueLength = 4_096;

/**
 * Splits a header value: words, each with or without `=value`. A word without a value begins a challenge,
 * others belong to the challenge before them. Visits each character once.
 */
function split(value: string): RawChallenge[] {
  const text = value.slice(0, maxValueLength);
  const challenges: RawChallenge[] = [];
  let at = 0;
  for (let count = 0; count < maxParameters; count++) {
    at = skipSpace(text, at);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    const nameEnd = skip(text, at, isTokenCharacter);
    if (nameEnd === at) break;
    const name = text.slice(at, nameEnd).toLowerCase();
    const equals = skipSpace(text, nameEnd);
    if (text[equals] !== '=') {
      challenges.push({ scheme: name, parameters: new Map() });
      at = nameEnd;
      continue;
    }
    const start = skipSpace(text, equals + 1);
    const quoted = text[start] === '"' ? readQuoted(text, start + 1) : undefined;
    const end = quoted?.end ?? skip(text, start, isBareCharacter);
    challenges.at(-1)?.parameters.set(name, quoted?.text ?? text.slice(start, end));
    at = end;
  }
  return challenges;
}

/** A quoted string from after its opening quote; undefined if there is no closing quote. */
function readQuoted(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  const pieces: string[] = [];
  let copied = from;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') {
      pieces.push(text.slice(copied, at));
      return { text: pieces.join(''), end: at + 1 };
    }
    if (text[at] === '\\') {
      pieces.push(text.slice(copied, at));
      at++;
      copied = at;
    }
  }
  return undefined;
}

function skip(text: string, from: number, isPassed: (character: string) => boolean): number {
  let at = from;
  while (at < text.length && isPassed(text[at] ?? '')) at++;
  return at;
}

function skipSpace(text: string, from: number): number {
  return skip(text, from, isSpace);
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

function isTokenCharacter(character: string): boolean {
  return /[A-Za-z0-9_.~!#$%&'*+^`|-]/.test(character);
}

function isBareCharacter(character: string): boolean {
  return /[^\s,"]/.test(character);
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
