import type { UserRecord } from '../store/users.ts';
import { Fault } from '../base/fault.ts';
import type { SetupCode } from './setup-code.ts';

/** A server without an administrator is locked: it answers nothing but what its set-up needs. */
export class Lock {
  readonly #setupCode: SetupCode;
  #isLocked: boolean;
  #unlocking = false;

  constructor(options: { isLocked: boolean; setupCode: SetupCode }) {
    this.#isLocked = options.isLocked;
    this.#setupCode = options.setupCode;
    if (options.isLocked) options.setupCode.start();
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /**
   * Makes the first administrator by `make`, once: of two people who hold the code one comes too late.
   * @throws Fault ActionNotAcceptable on an unlocked server, else the faults of `SetupCode.check` and `make`.
   */
  async unlock(code: string, make: () => Promise<UserRecord>): Promise<UserRecord> {
    if (!this.#isLocked || this.#unlocking) {
      throw new Fault('ActionNotAcceptable', 'The server has its administrator already.');
    }
    this.#setupCode.check(code);
    this.#unlocking = true;
    try {
      const user = await make();
      this.#isLocked = false;
      this.#setupCode.stop();
      return user;
    } finally {
      this.#unlocking = false;
    }
  }

  /** Ends the renewal of the code when the server stops. */
  close(): void {
    this.#setupCode.stop();
  }
}
