import { Authenticator } from '../access/authenticator.ts';
import { Identities } from '../access/identities.ts';
import { KnownDevices } from '../access/known-devices.ts';
import { PasswordHasher } from '../access/password-hash.ts';
import { PasswordProof } from '../access/password-proof.ts';
import { SignInLimits } from '../access/sign-in-limits.ts';
import { AccountEmails } from '../system/account-emails.ts';
import { Lock } from '../system/lock.ts';
import { Mailer } from '../system/mailer.ts';
import { PasswordReset } from '../system/password-reset.ts';
import { SetupCode } from '../system/setup-code.ts';
import { SetupConsent } from '../system/setup-consent.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { Storage } from './storage.ts';

const dayMs = 86_400_000;

/** Who may access the server, and how accounts are recovered. */
export type Access = Opened<Awaited<ReturnType<typeof openAccess>>>;

/** `print` shows a line to the operator at the console. */
export function composeAccess(
  foundation: Foundation,
  storage: Storage,
  print: (line: string) => void,
): Promise<Access> {
  return opened((closers) => openAccess(foundation, storage, print, closers));
}

async function openAccess(
  { config, clock, log }: Foundation,
  { store, archive }: Storage,
  print: (line: string) => void,
  closers: Closer[],
) {
  const consent = new SetupConsent(config.dataDir);
  const isLocked = (await store.users.countActiveAdmins()) === 0;
  if (!isLocked) await consent.end();
  const lock = new Lock({
    isLocked,
    setupCode: new SetupCode({ clock, print }),
    consent: isLocked && (await archive.volume.wasUsed()) ? consent : undefined,
    clock,
    print,
  });
  closers.push(() => lock.close());
  const { users, sessions, tokens, failedAttempts: failures } = store;
  const sessionMs = config.session.days * dayMs;
  const authenticator = new Authenticator({ users, sessions, tokens, clock, log, sessionMs });
  const passwords = new PasswordHasher();
  const proof = new PasswordProof({ sessions, failures, authenticator, passwords, clock });
  const mailer = new Mailer(config);
  const emails = new AccountEmails({ config, mailer, log });
  closers.push(() => emails.settle());
  const passwordReset = new PasswordReset({
    config,
    store,
    authenticator,
    passwords,
    mailer,
    emails,
    clock,
    log,
  });
  closers.push(() => passwordReset.settle());
  return {
    lock,
    authenticator,
    passwords,
    proof,
    mailer,
    emails,
    passwordReset,
    identities: new Identities(users),
    knownDevices: new KnownDevices(store.secret),
    signInLimits: new SignInLimits({ failures, clock, log }),
  };
}
