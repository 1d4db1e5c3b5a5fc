import { clockOwners } from '@vidette/contract/constants';
import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Authenticator } from '../access/authenticator.ts';
import type { Identities } from '../access/identities.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import type { PasswordProof } from '../access/password-proof.ts';
import { checkPassword } from '../access/password-rules.ts';
import type { Principal } from '../access/principal.ts';
import { SharedAttempts, type AttemptCounts } from '../access/shared-attempts.ts';
import { requireOwnData } from '../access/user-policy.ts';
import type { Clock } from '../base/clock.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import type { UserChanges, UserRecord, Users } from '../store/users.ts';
import type { AccountEmails } from '../system/account-emails.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { changesOfUser, preferencesOf, profileView } from './user-view.ts';

type ProfileToSave = z.output<Calls['saveProfile']['body']>;

/** Members that a client may send back, and only an administrator may change. */
const fixedMembers = [
  'isAdmin',
  'permissionType',
  'maxStreamCreation',
  'canConvert',
  'isManaged',
  'mustChangePassword',
  'isBlocked',
  'createdAt',
] as const;

/** A saved account. */
export interface SavedUser {
  readonly user: UserRecord;
  /** The new secret of the caller's session, for its cookie; undefined if it did not change. */
  readonly secret: string | undefined;
}

export interface OwnProfileOptions {
  readonly proof: Pick<PasswordProof, 'verify' | 'requireHereOrLately'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly identities: Pick<Identities, 'requireFree' | 'acquire'>;
  readonly authenticator: Pick<Authenticator, 'endOthers' | 'forget'>;
  readonly emails: Pick<AccountEmails, 'noteChange'>;
  readonly failures: AttemptCounts;
  readonly clock: Clock;
}

/** The changes that users make to their own account. */
export class OwnProfile {
  readonly #options: OwnProfileOptions;
  /**
   * Limits how often a caller may check whether a login or an e-mail is taken, which reveals who has an
   * account.
   */
  readonly #takenTries: SharedAttempts;

  constructor(options: OwnProfileOptions) {
    this.#options = options;
    this.#takenTries = new SharedAttempts(options.failures, options.clock, 'taken', {
      max: 10,
      windowMs: 3_600_000,
    });
  }

  /**
   * Saves what is given. A new password, login or e-mail requires proof of the password; a new password ends every
   * other session that used the old one [R5.2].
   * @throws Fault at the member that can't be saved, PasswordRequired, TooManyRequests
   */
  async save(principal: Principal, body: ProfileToSave, note: AuditNote): Promise<SavedUser> {
    const { identities, authenticator, emails } = this.#options;
    const { user } = principal;
    requireUnchanged(body, profileView(user), fixedMembers);
    requireOwnData(user, body);
    const changes: UserChanges = {};
    if (body.name !== undefined && body.name !== user.login) changes.login = body.name;
    if (body.email !== undefined && body.email !== user.email) changes.email = body.email;
    const isRenamed = changes.login !== undefined || changes.email !== undefined;
    await this.#requireProof(principal, body, isRenamed);
    if (body.fullName !== undefined) changes.fullName = body.fullName;
    if (body.language !== undefined) changes.language = body.language;
    if (body.preferences !== undefined) {
      requireZoneChoice(body.preferences.timeZone);
      changes.preferences = { ...preferencesOf(user), ...body.preferences };
    }
    if (isRenamed) {
      await this.#takenTries.take(String(user.id));
      await identities.requireFree(user, changes);
    }
    if (body.password !== undefined) await this.#setPassword(user, changes, body.password, body.oldPassword);
    const save = (users: Users) => users.save(user.id, changes);
    const saved = Object.keys(changes).length > 0 ? await identities.acquire(user, changes, save) : user;
    const secret =
      body.password === undefined
        ? undefined
        : await authenticator.endOthers(user.id, principal.by, body.keepTokens ?? false);
    authenticator.forget(user.id);
    note.details = { changes: changesOfUser(user, saved) };
    emails.noteChange(user, saved);
    return { user: saved, secret };
  }

  async #requireProof(principal: Principal, body: ProfileToSave, isRenamed: boolean): Promise<void> {
    const { proof } = this.#options;
    if (body.password !== undefined) await proof.verify(principal, body.oldPassword ?? '', 'oldPassword');
    else if (isRenamed) await proof.requireHereOrLately(principal, body.oldPassword);
  }

  async #setPassword(
    user: UserRecord,
    changes: UserChanges,
    password: string,
    oldPassword: string | undefined,
  ): Promise<void> {
    if (password === oldPassword) {
      throw fieldFault('OldPasswordAndNewPasswordCannotBeSame', 'password', 'The password stays the same.');
    }
    checkPassword(password, { login: changes.login ?? user.login, email: changes.email ?? user.email });
    changes.passwordHash = await this.#options.passwords.hash(password);
    changes.mustChangePassword = false;
  }
}

/** @throws Fault ValidationError for a time zone name that this machine does not know */
function requireZoneChoice(timeZone: string | undefined): void {
  if (timeZone === undefined || clockOwners.some((owner) => owner === timeZone)) return;
  requireKnownZone(timeZone, 'preferences.timeZone');
}
