import { stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import {
  expiryNoticeMs,
  readCertificate,
  type CertificateFiles,
  type LoadedCertificate,
} from '../config/certificate-files.ts';
import { ConfigError } from '../config/load.ts';
import type { Certificate } from './connection-limiter.ts';

/** How often to check for renewed files; comparing their times is cheap. */
const lookEveryMs = 5_000;
/**
 * Certificate and key are written one after the other: both are read when neither has changed for this long.
 */
const settleMs = 1_000;

/** A warning about the certificate for the operator; `unusable` files leave the current one in use. */
export type CertificateProblem = 'expired' | 'expires' | 'unusable';

export interface ServerCertificateOptions extends CertificateFiles {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The server's certificate and key, reloaded from their files. A renewed pair is used for new connections; an
 * unusable one is reported, and the previous pair remains in use.
 */
export class ServerCertificate {
  readonly #options: ServerCertificateOptions;
  readonly #listeners: ((certificate: Certificate) => void)[] = [];
  readonly #cancelLook: Cancel;
  #cancelSettle: Cancel | undefined;
  #loaded: LoadedCertificate;
  /** Times and sizes of the files at the last check. */
  #seen: string;
  #isUnusable = false;
  #loading: Promise<void> = Promise.resolve();

  private constructor(options: ServerCertificateOptions, loaded: LoadedCertificate, seen: string) {
    this.#options = options;
    this.#loaded = loaded;
    this.#seen = seen;
    this.#cancelLook = options.clock.every(lookEveryMs, () => void this.#look());
    this.#sayIfOver();
  }

  /** @throws ConfigError with one line that states which file is wrong, and why */
  static async open(options: ServerCertificateOptions): Promise<ServerCertificate> {
    const seen = await marksOf(options);
    return new ServerCertificate(options, await readCertificate(options), seen);
  }

  get current(): Certificate {
    return this.#loaded;
  }

  get problem(): CertificateProblem | undefined {
    if (this.#isUnusable) return 'unusable';
    const leftMs = this.#loaded.validToMs - this.#options.clock.wallMs();
    return leftMs <= 0 ? 'expired' : leftMs <= expiryNoticeMs ? 'expires' : undefined;
  }

  /** When the certificate in use expires, ms since the epoch. */
  get expiresAt(): number {
    return this.#loaded.validToMs;
  }

  /** Calls back with each renewed pair. */
  onRenewed(listener: (certificate: Certificate) => void): void {
    this.#listeners.push(listener);
  }

  /** Reads the files now. Resolves when their content is in use, or the reason why not is reported. */
  reload(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#reload());
    return this.#loading;
  }

  close(): void {
    this.#cancelLook();
    this.#cancelSettle?.();
  }

  async #look(): Promise<void> {
    const seen = await marksOf(this.#options);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#cancelSettle?.();
    this.#cancelSettle = this.#options.clock.after(settleMs, () => void this.reload());
  }

  async #reload(): Promise<void> {
    const { log } = this.#options;
    try {
      const loaded = await readCertificate(this.#options);
      const isNew = !loaded.cert.equals(this.#loaded.cert) || !loaded.key.equals(this.#loaded.key);
      this.#isUnusable = false;
      if (!isNew) return;
      this.#loaded = loaded;
      for (const listener of this.#listeners) listener(loaded);
      log.info({ validTo: new Date(loaded.validToMs).toISOString() }, 'A renewed certificate is in use');
      this.#sayIfOver();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#isUnusable = true;
      log.error({}, `${error.message} The previous certificate remains in use.`);
    }
  }

  #sayIfOver(): void {
    const { clock, log, certificatePath } = this.#options;
    const { validFromMs, validToMs } = this.#loaded;
    const nowMs = clock.wallMs();
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    if (validToMs <= nowMs)
      log.error({}, `The certificate in ${certificatePath} expired on ${day(validToMs)}.`);
    else if (validFromMs > nowMs)
      log.error({}, `The certificate in ${certificatePath} is not valid before ${day(validFromMs)}.`);
  }
}

/** Changes whenever a file is written or replaced, even behind a symbolic link. */
async function marksOf({ certificatePath, keyPath }: ServerCertificateOptions): Promise<string> {
  const marks = await Promise.all(
    [certificatePath, keyPath].map((path) =>
      stat(path).then(
        ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
        (error: NodeJS.ErrnoException) => String(error.code),
      ),
    ),
  );
  return marks.join();
}
