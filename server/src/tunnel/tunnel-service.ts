import type { MessageLanguage } from '@vidette/contract/errors';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { knownReason } from '../base/known-reasons.ts';
import type { Tunnel } from './tunnel.ts';

/** What the audit log records of a call: its location. */
interface Note {
  target: string | null;
}

export interface TunnelServiceOptions {
  readonly tunnel: Pick<Tunnel, 'start' | 'stop' | 'status'>;
}

/** The tunnel as administrators open, close and see it. */
export class TunnelService {
  readonly #options: TunnelServiceOptions;

  constructor(options: TunnelServiceOptions) {
    this.#options = options;
  }

  /** Opens it through a location, or the default one. @throws Fault NotFound, ActionNotAcceptable */
  async start(location: string | undefined, language: MessageLanguage, note: Note): Promise<TunnelStatus> {
    await this.#options.tunnel.start(location);
    const status = await this.status(language);
    note.target = status.location;
    return status;
  }

  async stop(language: MessageLanguage, note: Note): Promise<TunnelStatus> {
    const { tunnel } = this.#options;
    note.target = (await tunnel.status()).location;
    await tunnel.stop();
    return this.status(language);
  }

  /** The status, with the reason for a failure in the reader's language. */
  async status(language: MessageLanguage): Promise<TunnelStatus> {
    const status = await this.#options.tunnel.status();
    const { failureReason } = status;
    if (failureReason === null) return status;
    return { ...status, failureReason: knownReason(failureReason, language) ?? null };
  }
}
