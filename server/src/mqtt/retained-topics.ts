import { createHash } from 'node:crypto';
import type { BrokerSession } from './broker-session.ts';

/** Topics that are cleared simultaneously; the session limits what is in flight. */
const clearedTogether = 64;

/** What this server has published as retained messages in one session: only what differs is published again. */
export class RetainedTopics {
  readonly #session: Pick<BrokerSession, 'publish'>;
  /** Digest of the last payload, by topic. */
  readonly #sent = new Map<string, string>();

  constructor(session: Pick<BrokerSession, 'publish'>) {
    this.#session = session;
  }

  /** Publishes a state if it is new. @throws BrokerFailure */
  async put(topic: string, payload: string | Uint8Array): Promise<void> {
    const digest = createHash('sha256').update(payload).digest('base64url');
    if (this.#sent.get(topic) === digest) return;
    // A failure ends the session, or concerns this topic alone, which is then tried again when it changes.
    this.#sent.set(topic, digest);
    await this.#session.publish(topic, payload, true);
  }

  /** Deletes the message that the broker keeps (MQTT 5.0, 3.3.1.3). @throws BrokerFailure */
  clear(topic: string): Promise<void> {
    return this.put(topic, '');
  }

  /** The next `put` publishes again, whatever was sent before. */
  forget(topic: string): void {
    this.#sent.delete(topic);
  }

  /** Everything is published again. */
  forgetAll(): void {
    this.#sent.clear();
  }

  /** Deletes everything that was published. @throws BrokerFailure */
  async clearAll(): Promise<void> {
    const topics = [...this.#sent.keys()];
    for (let start = 0; start < topics.length; start += clearedTogether) {
      await Promise.all(topics.slice(start, start + clearedTogether).map((topic) => this.clear(topic)));
    }
  }
}
