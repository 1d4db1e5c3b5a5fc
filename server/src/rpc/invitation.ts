import { hkdfSync } from 'node:crypto';
import { hashSecret, newSecret } from '../access/secrets.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { Seal } from '../store/seal.ts';
import type { StoredSettings } from '../store/settings.ts';

/**
 * How a server becomes a node. An administrator of an existing node creates a code; the new server proves that
 * it has the code and receives the data that all nodes share. The code itself is never sent: both sides derive
 * a key from it, which seals request and answer, so that joining is as safe over plain HTTP as over TLS.
 */

/** An unused invitation expires after this. */
export const invitationMs = 15 * 60_000;
/** Path of the call between nodes. */
export const joinPath = 'join';

/** What a joining server reports about itself. */
export interface Applicant {
  readonly node: string;
  /** Raw Ed25519 key, base64url. */
  readonly publicKey: string;
}

/** The data that all nodes share. */
export interface Shared {
  readonly database: string;
  /** Of `secret.key`, base64url. */
  readonly secret: string;
}

interface Stored {
  readonly code: string;
  readonly untilMs: number;
  readonly by: string | null;
}

/** A pending invitation, without its code. */
export interface Invitation {
  readonly id: string;
  readonly createdMs: number;
  /** The login of the user who created it; null: an operator on a node's machine. */
  readonly by: string | null;
  readonly untilMs: number;
}

type InvitationSettings = Pick<StoredSettings, 'set' | 'take' | 'below'>;

/** The pending invitations in the database, each for one server. */
export class Invitations {
  readonly #settings: InvitationSettings;
  readonly #seal: Seal;
  readonly #clock: Clock;

  constructor(options: { settings: InvitationSettings; secret: Uint8Array; clock: Clock }) {
    this.#settings = options.settings;
    this.#seal = new Seal(Buffer.from(options.secret));
    this.#clock = options.clock;
  }

  /** Creates one. Its code is returned here only, and stored sealed. */
  async make(by: string | null): Promise<Invitation & { code: string }> {
    const code = newSecret();
    const id = hashSecret(code);
    const createdMs = this.#clock.wallMs();
    const untilMs = createdMs + invitationMs;
    const stored: Stored = { code: this.#seal.seal(code, 'invitation'), untilMs, by };
    await this.#settings.set(settingOf(id), stored);
    return { id, createdMs, by, untilMs, code };
  }

  /** The valid ones, oldest first. Expired ones are deleted. */
  async open(): Promise<Invitation[]> {
    const found: Invitation[] = [];
    for (const [id, value] of await this.#settings.below(settingOf(''))) {
      const { untilMs, by = null } = value as Partial<Stored> & Pick<Stored, 'untilMs'>;
      if (untilMs > this.#clock.wallMs()) {
        found.push({ id, createdMs: untilMs - invitationMs, by, untilMs });
      } else {
        await this.#settings.take(settingOf(id));
      }
    }
    return found.sort((a, b) => a.untilMs - b.untilMs);
  }

  /** Revokes an invitation; returns whether there was one. */
  async withdraw(id: string): Promise<boolean> {
    return (await this.#settings.take(settingOf(id))) !== undefined;
  }

  /**
   * Identifies the applicant of a sealed request, and returns how to seal the answer. This uses up the
   * invitation.
   * @throws Fault AuthorizationRequired
   */
  async take(
    question: SealedQuestion,
  ): Promise<{ applicant: Applicant; answer: (shared: Shared) => string }> {
    const stored = (await this.#settings.take(settingOf(question.invitation))) as Stored | undefined;
    const isValid = stored !== undefined && stored.untilMs > this.#clock.wallMs();
    const code = isValid ? this.#seal.open(stored.code, 'invitation') : undefined;
    const text = code && sealOf(code).open(question.sealed, 'question');
    if (!code || text === undefined) {
      throw new Fault('AuthorizationRequired', 'The code is not, or no longer, valid.');
    }
    return {
      applicant: JSON.parse(text) as Applicant,
      answer: (shared) => sealOf(code).seal(JSON.stringify(shared), 'answer'),
    };
  }
}

/**
 * The message on the wire: the id of the invitation, and data that only the holder of its code can read or
 * write.
 */
export interface SealedQuestion {
  readonly invitation: string;
  readonly sealed: string;
}

/** The request of a server that holds a code, and how it reads the answer. */
export function applyWith(
  code: string,
  applicant: Applicant,
): { question: SealedQuestion; open: (sealed: string) => Shared | undefined } {
  const seal = sealOf(code);
  return {
    question: { invitation: hashSecret(code), sealed: seal.seal(JSON.stringify(applicant), 'question') },
    open(sealed) {
      const text = seal.open(sealed, 'answer');
      return text === undefined ? undefined : (JSON.parse(text) as Shared);
    },
  };
}

function settingOf(invitation: string): string {
  return `invitation.${invitation}`;
}

function sealOf(code: string): Seal {
  return new Seal(Buffer.from(hkdfSync('sha256', code, '', 'vidette invitation 1', 32)));
}
