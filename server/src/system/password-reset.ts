import { SharedAttempts } from '../access/shared-attempts.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import { checkPassword } from '../access/password-rules.ts';
import { hashCode, newCode } from '../access/secrets.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { networkOf } from '../base/network.ts';
import { withoutLastSlash } from '../config/public-url.ts';
import type { Config } from '../config/schema.ts';
import { keyOf } from '../base/search-key.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import type { AccountEmails } from './account-emails.ts';
import type { Mailer } from './mailer.ts';
import { resetEmail } from './reset-email.ts';

/** Minimum time between two codes for one address. */
const againAfterMs = 60_000;
const windowMs = 15 * 60_000;
const maxTries = 5;

export interface PasswordResetOptions {
  /** Read at every call: changes take effect immediately. */
  readonly config: Pick<Config, 'passwordReset' | 'app' | 'publicUrl'>;
  readonly store: Pick<Store, 'users' | 'resetCodes' | 'failedAttempts'>;
  readonly authenticator: Authenticator;
  readonly passwords: PasswordHasher;
  readonly mailer: Mailer;
  readonly emails: Pick<AccountEmails, 'noteChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Password reset for the owner of an account's e-mail address [R7.20, R7.21]: a code that expires after some
 * minutes, works once and allows five wrong attempts. Unless configured otherwise, responses and their timing
 * are the same for known and unknown addresses: the mail server is contacted in either case, the e-mail itself
 * is sent afterwards.
 */
export class PasswordReset {
  readonly #options: PasswordResetOptions;
  readonly #sentTo: SharedAttempts;
  readonly #sentBy: SharedAttempts;
  readonly #triedFor: SharedAttempts;
  readonly #triedBy: SharedAttempts;
  readonly #emails = new Set<Promise<void>>();

  constructor(options: PasswordResetOptions) {
    this.#options = options;
    const limit = (name: string, max: number, keepMs: number) =>
      new SharedAttempts(options.store.failedAttempts, options.clock, name, { max, windowMs: keepMs });
    this.#sentTo = limit('reset-to', 1, againAfterMs);
    this.#sentBy = limit('reset-by', 20, windowMs);
    this.#triedFor = limit('code-for', 20, windowMs);
    this.#triedBy = limit('code-by', 50, windowMs);
  }

  /**
   * Sends a code if a user has this address. Returns the seconds until another may be requested.
   * @throws Fault ActionNotAcceptable when disabled, TooManyRequests, Unavailable when the mail server can't be
   * used, NotFound for an unknown address when `passwordReset.revealUnknown` is on
   */
  async send(email: string, ip: string): Promise<number> {
    this.#requireEnabled();
    const { mailer, config } = this.#options;
    await this.#sentBy.take(networkOf(ip));
    await this.#sentTo.take(keyOf(email));
    const user = await this.#userOf(email);
    try {
      await mailer.verify();
    } catch (error) {
      // Nothing was sent: the next attempt need not wait.
      await this.#sentTo.clear(keyOf(email));
      this.#options.log.error({ error: causeOf(error) }, 'The mail server cannot be used');
      throw error;
    }
    if (user) this.#sendInBackground(user);
    else if (config.passwordReset.revealUnknown) throw new Fault('NotFound', 'No user has this e-mail.');
    return againAfterMs / 1_000;
  }

  /**
   * Sets a password with a code and ends all sessions and tokens of its owner, whose login is returned.
   * @throws Fault UnknownLifetimeCode, PasswordIsNotComplexEnough, TooManyRequests, ActionNotAcceptable
   */
  async reset(typed: { email: string; code: string; password: string }, ip: string): Promise<string> {
    this.#requireEnabled();
    // Also by network: a stranger who tries codes must not keep the owner from entering the right one.
    await this.#triedBy.take(networkOf(ip));
    await this.#triedFor.take(`${keyOf(typed.email)} ${networkOf(ip)}`);
    const { store, passwords, authenticator, emails } = this.#options;
    // Errors that do not depend on the user must not use up one of the code's few attempts.
    checkPassword(typed.password, { login: '', email: typed.email });
    const user = await this.#requireCode(typed.email, typed.code);
    checkPassword(typed.password, user);
    const passwordHash = await passwords.hash(typed.password);
    // Of two simultaneous calls with the same code, the one that removes it continues.
    if (!(await store.resetCodes.remove(user.id))) throw wrongCode();
    const saved = await store.users.save(user.id, { passwordHash, mustChangePassword: false });
    await authenticator.endOthers(user.id, undefined, false);
    emails.noteChange(user, saved);
    return user.login;
  }

  /** Resolves when no e-mail is pending. */
  async settle(): Promise<void> {
    await Promise.all(this.#emails);
  }

  #requireEnabled(): void {
    const { mailer, config } = this.#options;
    if (mailer.isConfigured && config.passwordReset.enabled) return;
    throw new Fault('ActionNotAcceptable', 'Password reset by e-mail is disabled.');
  }

  /** Users who may get a code: not blocked ones, nor those whose password is managed elsewhere. */
  async #userOf(email: string): Promise<UserRecord | undefined> {
    const user = await this.#options.store.users.byEmail(email);
    return user?.isBlocked === false && !user.isManaged ? user : undefined;
  }

  async #requireCode(email: string, code: string): Promise<UserRecord> {
    const { store, clock } = this.#options;
    const user = await this.#userOf(email);
    const stored = user && (await store.resetCodes.ofUser(user.id));
    if (!user || !stored) throw wrongCode();
    // Counted before it is compared, so that many simultaneous guesses don't all pass the limit.
    const tries = await store.resetCodes.addTry(user.id);
    if (stored.expiresMs <= clock.wallMs() || tries > maxTries) {
      await store.resetCodes.remove(user.id);
      throw wrongCode();
    }
    if (hashCode(code) !== stored.codeHash) throw wrongCode();
    return user;
  }

  #sendInBackground(user: UserRecord): void {
    const work = this.#sendCode(user)
      .catch((error: unknown) => {
        this.#options.log.error(
          { error: causeOf(error), user: user.login },
          'A password code could not be sent',
        );
      })
      .finally(() => this.#emails.delete(work));
    this.#emails.add(work);
  }

  async #sendCode(user: UserRecord): Promise<void> {
    const { store, clock, mailer, config } = this.#options;
    const minutes = config.passwordReset.codeMinutes;
    const code = newCode();
    await store.resetCodes.set({
      userId: user.id,
      codeHash: hashCode(code),
      expiresMs: clock.wallMs() + Math.round(minutes * 60_000),
      tries: 0,
    });
    // Only the configured address: one taken from the request would let a stranger choose the target of the
    // link in the e-mail.
    const base = config.publicUrl === null ? undefined : withoutLastSlash(config.publicUrl);
    await mailer.send(
      resetEmail(user.language, {
        to: user.email,
        login: user.login,
        code,
        minutes,
        title: config.app.title,
        url: base === undefined ? undefined : `${base}/ui/recover-password`,
      }),
    );
  }
}

/** The mail library's own error message, which says what to fix. */
function causeOf(error: unknown): unknown {
  return error instanceof Fault ? (error.cause ?? error) : error;
}

function wrongCode(): Fault {
  return new Fault('UnknownLifetimeCode', 'The code is wrong, used or expired.', {
    details: { fields: [{ path: 'code', code: 'UnknownLifetimeCode' }] },
  });
}
