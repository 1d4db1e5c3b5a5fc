import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { Seal, sealedPrefix } from '../store/seal.ts';

/** A frame for one reader. */
export interface StillTicket {
  readonly userId: number;
  readonly uid: string;
  /** When the event began, ms since the epoch. */
  readonly timeMs: number;
}

export interface NotificationStillsOptions {
  /** The server's. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  /** The frame as a JPEG, as far as the reader may see it now; undefined if there is none. */
  readonly render: (ticket: StillTicket) => Promise<Uint8Array | undefined>;
}

/** A browser fetches the still when it shows the notification, for which a phone may need to wake up. */
const validMs = 15 * 60_000;
const place = 'notification still';

/**
 * Stills by addresses in notifications, which browsers fetch without a session. Addresses are sealed with the server's
 * secret: no client can create or change one, they show nothing in clear, they expire, and they open nothing else. The
 * rights are checked again when one is opened.
 */
export class NotificationStills {
  readonly #options: NotificationStillsOptions;
  readonly #seal: Seal;

  constructor(options: NotificationStillsOptions) {
    this.#options = options;
    this.#seal = new Seal(Buffer.from(options.secret));
  }

  /** A path, valid for 15 minutes. */
  pathOf({ userId, uid, timeMs }: StillTicket): string {
    const facts = JSON.stringify([userId, uid, timeMs, this.#options.clock.wallMs() + validMs]);
    return `/v1/notification-still/${this.#seal.seal(facts, place).slice(sealedPrefix.length)}`;
  }

  /** The JPEG behind the last part of a path. @throws Fault NotFound, which doesn't tell why */
  async open(key: string): Promise<Uint8Array> {
    const facts = this.#seal.open(sealedPrefix + key, place);
    if (facts !== undefined) {
      const [userId, uid, timeMs, untilMs] = JSON.parse(facts) as [number, string, number, number];
      const isValid = this.#options.clock.wallMs() < untilMs;
      const jpeg = isValid ? await this.#options.render({ userId, uid, timeMs }) : undefined;
      if (jpeg) return jpeg;
    }
    throw new Fault('NotFound', 'There is no such still, or no longer.');
  }
}
