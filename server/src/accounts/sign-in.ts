import type { Authenticator } from '../access/authenticator.ts';
import { FairQueue } from '../access/fair-queue.ts';
import type { Identities } from '../access/identities.ts';
import type { DeviceCookie, KnownDevices } from '../access/known-devices.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import type { SignInLimits } from '../access/sign-in-limits.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { networkOf } from '../base/network.ts';
import type { MomentTally } from '../events/moment-tally.ts';
import type { UserRecord } from '../store/users.ts';
import type { AuditNote } from '../system/audit-event.ts';

/** Where a session is opened from. */
export interface SessionOrigin {
  readonly ip: string;
  readonly userAgent: string;
}

/** Where a sign-in comes from, and the browser's proof of earlier ones. */
export interface SignInOrigin extends SessionOrigin {
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Aborted when the caller disconnects: a check that is still waiting is skipped. */
  readonly signal: AbortSignal;
}

/** An open session. */
export interface SignedInUser {
  readonly user: UserRecord;
  /** For the cookie of the session. */
  readonly secret: string;
  /** For the device's cookie; undefined: the existing one is still valid. */
  readonly device?: DeviceCookie | undefined;
}

export interface SignInOptions {
  readonly identities: Pick<Identities, 'candidates'>;
  readonly passwords: Pick<PasswordHasher, 'verify'>;
  readonly knownDevices: KnownDevices;
  readonly signInLimits: Pick<SignInLimits, 'admit'>;
  readonly authenticator: Pick<Authenticator, 'open'>;
  readonly failedSignIns: Pick<MomentTally, 'note'>;
  readonly clock: Clock;
}

/** Signing in with a login or e-mail and a password. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #queue = new FairQueue();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /**
   * Opens a session. The answer and its duration are the same for a wrong password, an unknown name and a
   * blocked user.
   * @throws Fault AuthorizationFailed, TooManyRequests
   */
  async open(name: string, password: string, from: SignInOrigin, note: AuditNote): Promise<SignedInUser> {
    const { identities, knownDevices, signInLimits, authenticator, clock } = this.#options;
    const { ip, userAgent, cookies, signal } = from;
    const nowMs = clock.wallMs();
    const candidates = await identities.candidates(name);
    // An unknown name is not logged: it is often a password typed into the wrong field.
    note.login = candidates[0]?.login ?? null;
    const deviceId = candidates
      .map(({ id }) => knownDevices.find(cookies, id, nowMs)?.id)
      .find((id) => id !== undefined);
    const check = async () => {
      signal.throwIfAborted();
      const attempt = await signInLimits.admit({ login: name, ip, deviceId });
      const found = await this.#findByPassword(candidates, password);
      if (!found || found.isBlocked) {
        this.#options.failedSignIns.note({ uid: null, detail: { user: note.login, address: networkOf(ip) } });
        throw new Fault('AuthorizationFailed', 'The login or password is wrong, or the user is blocked.');
      }
      await attempt.forgive();
      return found;
    };
    // Guesses queue behind one another and never delay known devices.
    const user = deviceId === undefined ? await this.#queue.run(networkOf(ip), check) : await check();
    note.login = user.login;
    const { secret } = await authenticator.open(user, { ip, userAgent });
    const isDue = knownDevices.find(cookies, user.id, nowMs)?.isDueForRenewal ?? true;
    return { user, secret, device: isDue ? knownDevices.issue(user.id, nowMs) : undefined };
  }

  /** The user with this login and password, if any; it takes the same time for an unknown name. */
  async #findByPassword(
    candidates: readonly UserRecord[],
    password: string,
  ): Promise<UserRecord | undefined> {
    const { passwords } = this.#options;
    for (const user of candidates) {
      if (await passwords.verify(password, user.passwordHash)) return user;
    }
    if (candidates.length === 0) await passwords.verify(password, undefined);
    return undefined;
  }
}
