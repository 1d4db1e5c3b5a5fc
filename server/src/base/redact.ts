/**
 * The one redaction of secrets, for everything that is logged, audited or shown to users who may not edit. When
 * in doubt, it hides.
 */
const hidden = '***';

/**
 * `scheme://user:password@host`: the user part ends at the last `@` before the path, because pasted passwords
 * contain one. Only the last character of the scheme is matched: a search that starts at each of them would
 * take quadratic time.
 */
const urlCredentials = /([a-z0-9+.-]:\/\/)[^\s/?#]*@/gi;
const secretWord = /pass|pwd|token|key|secret|auth|sig|code|credential|user|usr|login|streamid/i;
const bearer = /\b(Bearer|Basic|Digest)\s+[A-Za-z0-9+/=_.~-]{6,}/g;
/**
 * Not every `code`, because those of errors must stay readable. Codes for setup and password reset have names
 * of their own.
 */
const secretName =
  /pass|pwd|secret|token|authorization|cookie|private|credential|(?:set[-_]?up|reset|unlock|lifetime)[-_]?code/i;

/**
 * A line of text without passwords in addresses, secret parameters and authorization values; linear in its
 * length.
 */
export function redactText(text: string): string {
  return withoutSecretParameters(text.replace(urlCredentials, `$1${hidden}@`)).replace(
    bearer,
    `$1 ${hidden}`,
  );
}

/**
 * Hides the values of `name=value` after `?`, `&` or `;` whose names contain a secret word. Visits each
 * character once.
 */
function withoutSecretParameters(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  let nameStart = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '&' || isSpace(character)) nameStart = at;
    else if (character === '=') {
      const valueStart = at + 1;
      if (isSecretName(text.slice(nameStart, at))) {
        at = endOfValue(text, valueStart);
        pieces.push(text.slice(copied, valueStart), hidden);
        copied = at;
        // The character that ended the value may begin the next name.
        at--;
      }
      nameStart = at + 1;
    }
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/** `name` is everything before the `=`, back to the last `&`, space or `=`. */
function isSecretName(name: string): boolean {
  const from = name.search(/[?&;]/);
  return from >= 0 && secretWord.test(name.slice(from));
}

function endOfValue(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '&' && !isSpace(text[at] ?? '')) at++;
  return at;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

const maxDepth = 6;

/** The stack of an error, and its causes. */
function errorText(error: Error, depth: number): string {
  const text = redactText(error.stack ?? error.message);
  if (error.cause === undefined || depth >= maxDepth) return text;
  const { cause } = error;
  const causeText =
    cause instanceof Error ? errorText(cause, depth + 1) : JSON.stringify(redactValue(cause, depth + 1));
  return `${text}\nCaused by: ${causeText}`;
}

/**
 * A copy of a value that is safe to write: members with secret names are hidden, strings pass through
 * `redactText`.
 */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (value instanceof Error) return errorText(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '...';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretName.test(name) && typeof member === 'string' ? hidden : redactValue(member, depth + 1),
    ]),
  );
}
