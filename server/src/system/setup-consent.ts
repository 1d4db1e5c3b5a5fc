import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../base/durable.ts';

const fileName = 'allow-setup';

/**
 * The console's consent to creating a new administrator although the archive belongs to an earlier
 * installation: a file in the data folder, created by `vidette allow-setup`, valid for one setup.
 */
export class SetupConsent {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, fileName);
  }

  get isGiven(): boolean {
    return existsSync(this.#file);
  }

  /** @throws system errors */
  async give(): Promise<void> {
    await createFile(this.#file, '', 0o600);
  }

  /** Removes the consent once it was used or is not needed. @throws system errors */
  async end(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
