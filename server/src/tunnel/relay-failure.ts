import type { TunnelFailure } from '@vidette/contract/tunnel';

/** Text from a relay is truncated to this many characters before it is used. */
const wordsMax = 200;

/**
 * Why a tunnel is not up, or no longer up: one of the contract's codes and a message for users, which
 * `base/known-reasons.ts` translates into Russian.
 */
export class RelayFailure extends Error {
  readonly code: TunnelFailure;
  /** Fingerprint that the relay presented when another one, or none yet, is configured. */
  readonly presentedHostKey: string | null;

  constructor(
    code: TunnelFailure,
    message: string,
    options: { cause?: unknown; presentedHostKey?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RelayFailure';
    this.code = code;
    this.presentedHostKey = options.presentedHostKey ?? null;
  }

  /** The underlying cause, for the log: a code or the relay's own text; undefined when there is none. */
  get causeWords(): string | undefined {
    if (!(this.cause instanceof Error)) return undefined;
    return plainWords(this.cause.message || String(Reflect.get(this.cause, 'code')));
  }

  /** Whether retrying soon is pointless, because an operator has to change something first. */
  get isRefusal(): boolean {
    return (
      this.code === 'host-key-unknown' || this.code === 'host-key-changed' || this.code === 'key-refused'
    );
  }
}

/** Text from outside, safe for a log and a page: one line of printable characters. */
function plainWords(text: string): string {
  return text
    .slice(0, wordsMax)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}
