import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/schema.ts';

const askAgainMs = 12 * 3_600_000;
const retryMs = 15 * 60_000;
const answerTimeoutMs = 10_000;
const answerMaxBytes = 65_536;
const redirectsMax = 3;

const Announcement = z.object({
  version: z.string().min(1).max(64),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .nullish(),
});

export interface VersionFacts {
  readonly current: string;
  /** Null while no address is configured, or before its first answer. */
  readonly latest: string | null;
  /** A page about the version. */
  readonly url: string | null;
}

export interface VersionCheckOptions {
  /** Read at every request: changes take effect immediately. */
  readonly config: Pick<Config, 'versionCheck'>;
  readonly current: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Whether a newer version is available, by the configured address [R7.49]. It is checked periodically in the
 * background; callers get the last result and never wait. Without an address nothing is requested.
 */
export class VersionCheck {
  readonly #options: VersionCheckOptions;
  readonly #stopping = new AbortController();
  #askedUrl: string | null = null;
  #askAtMs = 0;
  #announced: z.infer<typeof Announcement> | undefined;
  #asking: Promise<void> = Promise.resolve();

  constructor(options: VersionCheckOptions) {
    this.#options = options;
    this.#askIfDue();
  }

  get facts(): VersionFacts {
    this.#askIfDue();
    return {
      current: this.#options.current,
      latest: this.#announced?.version ?? null,
      url: this.#announced?.url ?? null,
    };
  }

  /** Resolves when no request is open. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#asking;
  }

  #askIfDue(): void {
    const { config, clock } = this.#options;
    const { url } = config.versionCheck;
    if (url !== this.#askedUrl) {
      this.#askedUrl = url;
      this.#announced = undefined;
      this.#askAtMs = 0;
    }
    if (url === null || clock.monotonicMs() < this.#askAtMs || this.#stopping.signal.aborted) return;
    this.#askAtMs = clock.monotonicMs() + askAgainMs;
    this.#asking = this.#asking.then(() => this.#ask(url));
  }

  async #ask(url: string): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(answerTimeoutMs)]);
      const reply = await fetchWithinHost(url, signal);
      if (!reply.ok) throw new Error(`The address answers ${reply.status}.`);
      const announced = Announcement.parse(JSON.parse(await limitedText(reply)));
      // The address may have changed during the request.
      if (url === this.#askedUrl) this.#announced = announced;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#askAtMs = clock.monotonicMs() + retryMs;
      log.warn({ error }, 'The address of the version check could not be read');
    }
  }
}

/**
 * Follows redirects only within the configured host and scheme: the operator chose where this server goes, and
 * that site must not make it request other hosts of the network.
 */
async function fetchWithinHost(url: string, signal: AbortSignal): Promise<Response> {
  let target = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const reply = await fetch(target, {
      signal,
      redirect: 'manual',
      headers: { accept: 'application/json' },
    });
    const location = reply.headers.get('location');
    if (reply.status < 300 || reply.status >= 400 || location === null) return reply;
    await reply.body?.cancel();
    const next = new URL(location, target);
    if (next.host !== target.host || next.protocol !== target.protocol) {
      throw new Error('The address redirects to another host, which is not followed.');
    }
    if (redirects === redirectsMax) throw new Error('The address redirects too many times.');
    target = next;
  }
}

async function limitedText(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > answerMaxBytes) throw new Error('The answer is too long.');
  }
  return Buffer.concat(chunks).toString('utf8');
}
