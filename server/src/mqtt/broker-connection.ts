import { backoffMs, scatteredMs } from '../base/backoff.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { BrokerFailure, failureOf, type BrokerProblem } from './broker-failure.ts';
import { BrokerSession, type BrokerMessage, type BrokerSettings } from './broker-session.ts';

export interface BrokerConnectionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each new session, before anything else is published in it. */
  readonly onSession: (session: BrokerSession) => void;
  readonly onMessage: (message: BrokerMessage) => void;
  /** Called when a session has ended. */
  readonly onLost: () => void;
}

const pauses = { firstMs: 1_000, longestMs: 60_000 };
/** A broker that is away for a shorter time, for example because it restarts, is no warning. */
const noticeMs = 60_000;

/**
 * Keeps a session with the configured broker: after a failure it connects again, after pauses that grow to a minute. What
 * was published in one session is not repeated in the next one: the publisher knows what is true by then.
 */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  #settings: BrokerSettings | undefined;
  #session: BrokerSession | undefined;
  /** Changes of the settings, and attempts, one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #attempt: AbortController | undefined;
  #failures = 0;
  #cancelRetry: Cancel = () => {};
  #problem: BrokerProblem = 'unreachable';
  /** Wall clock, ms; undefined while connected, or without settings. */
  #downSinceMs: number | undefined;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
  }

  get isConfigured(): boolean {
    return this.#settings !== undefined;
  }

  get session(): BrokerSession | undefined {
    return this.#session;
  }

  /** What is wrong for a minute or longer, and since when, ms since the epoch. */
  get trouble(): { readonly problem: BrokerProblem; readonly sinceMs: number } | undefined {
    const sinceMs = this.#downSinceMs;
    if (sinceMs === undefined || this.#options.clock.wallMs() - sinceMs < noticeMs) return undefined;
    return { problem: this.#problem, sinceMs };
  }

  /**
   * Ends the current session gracefully and connects with these settings; undefined: stays disconnected. Resolves when the
   * first attempt has succeeded or failed.
   * @param farewell publishes in the session that ends
   */
  apply(
    settings: BrokerSettings | undefined,
    farewell: (session: BrokerSession) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.#attempt?.abort();
    return this.#inTurn(async () => {
      this.#cancelRetry();
      const session = this.#session;
      if (session) {
        await farewell(session);
        this.#session = undefined;
        await session.end();
        this.#options.onLost();
      }
      this.#settings = settings;
      this.#failures = 0;
      this.#downSinceMs = settings && this.#options.clock.wallMs();
      await this.#connect();
    });
  }

  /** Resolves when the broker has acknowledged it. @throws BrokerFailure */
  async publish(topic: string, payload: string | Uint8Array): Promise<void> {
    const session = this.#session;
    if (!session) throw new BrokerFailure(this.#problem, 'The broker is not connected.');
    await session.publish(topic, payload, false);
  }

  close(): Promise<void> {
    return this.apply(undefined);
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(run);
    this.#turn = turn;
    return turn;
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    const settings = this.#settings;
    if (!settings || this.#session) return;
    const { clock, onMessage, onSession } = this.#options;
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      const onLost = (failure: BrokerFailure) => this.#noteLoss(failure);
      const session = await BrokerSession.open(settings, { onMessage, onLost }, clock, attempt.signal);
      this.#session = session;
      this.#failures = 0;
      this.#downSinceMs = undefined;
      this.#options.log.info({ broker: settings.url }, 'Connected to the MQTT broker');
      onSession(session);
    } catch (error) {
      this.#retry(failureOf(error, settings.url));
    } finally {
      this.#attempt = undefined;
    }
  }

  #noteLoss(failure: BrokerFailure): void {
    this.#session = undefined;
    this.#downSinceMs = this.#options.clock.wallMs();
    this.#options.onLost();
    this.#retry(failure);
  }

  #retry({ problem, message }: BrokerFailure): void {
    const { clock, log } = this.#options;
    this.#problem = problem;
    this.#failures++;
    if (this.#failures === 1) log.warn({ problem, reason: message }, 'The MQTT broker is not connected');
    const pauseMs = scatteredMs(backoffMs(this.#failures, pauses), clock);
    this.#cancelRetry = clock.after(pauseMs, () => void this.#inTurn(() => this.#connect()));
  }
}
