import type { UserRecord } from '../store/users.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { SetupCode } from './setup-code.ts';
import type { SetupConsent } from './setup-consent.ts';

const consentLookMs = 1_000;

interface LockOptions {
  readonly isLocked: boolean;
  readonly setupCode: SetupCode;
  /**
   * The consent that the setup waits for if the archive belongs to an earlier installation; undefined on a new
   * server.
   */
  readonly consent?: SetupConsent | undefined;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/** A server without an administrator is locked: it answers only the calls that its setup needs. */
export class Lock {
  readonly #options: LockOptions;
  #isLocked: boolean;
  #isSetupAllowed: boolean;
  #unlocking = false;
  #cancelLook: Cancel | undefined;

  constructor(options: LockOptions) {
    this.#options = options;
    this.#isLocked = options.isLocked;
    this.#isSetupAllowed = !options.isLocked || !options.consent || options.consent.isGiven;
    if (!options.isLocked) return;
    if (this.#isSetupAllowed) options.setupCode.start();
    else this.#awaitConsent();
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** False while the setup waits for the console. */
  get isSetupAllowed(): boolean {
    return this.#isSetupAllowed;
  }

  /**
   * Creates the first administrator with `make`, only once: of two users who have the code one is refused.
   * @throws Fault ActionNotAcceptable on an unlocked server, SetupNotAllowed without the console's consent,
   * else the faults of `SetupCode.check` and `make`.
   */
  async unlock(code: string, make: () => Promise<UserRecord>): Promise<UserRecord> {
    if (!this.#isLocked || this.#unlocking) {
      throw new Fault('ActionNotAcceptable', 'The server already has an administrator.');
    }
    if (!this.#isSetupAllowed) {
      throw new Fault('SetupNotAllowed', 'The archive contains recordings: run `vidette allow-setup` first.');
    }
    const { setupCode } = this.#options;
    setupCode.check(code);
    this.#unlocking = true;
    try {
      const user = await make();
      this.#isLocked = false;
      setupCode.stop();
      await this.#endConsent();
      return user;
    } finally {
      this.#unlocking = false;
    }
  }

  /** Ends the renewal of the code when the server stops. */
  close(): void {
    this.#cancelLook?.();
    this.#options.setupCode.stop();
  }

  /** The administrator exists already: a file that can't be removed does not make the setup fail. */
  async #endConsent(): Promise<void> {
    const { consent, print } = this.#options;
    try {
      await consent?.end();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      print(`The consent to this setup could not be removed; remove its file manually: ${reason}`);
    }
  }

  /** Without a code setup is impossible, even for readers of the console's output. */
  #awaitConsent(): void {
    const { consent, clock, print, setupCode } = this.#options;
    print(
      'The database has no administrator, but the archive holds earlier footage: this server cannot be set up now.',
    );
    print('To get streams and accounts back, stop the server and restore a backup: vidette restore FILE');
    print('To set it up again with the existing footage, run on this machine: vidette allow-setup');
    this.#cancelLook = clock.every(consentLookMs, () => {
      if (consent?.isGiven !== true) return;
      this.#cancelLook?.();
      this.#isSetupAllowed = true;
      setupCode.start();
    });
  }
}
