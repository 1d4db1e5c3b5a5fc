import type { Cancel, Clock } from '../../base/clock.ts';
import type { SourceAudience } from '../source.ts';
import type { RtspConnection } from './connection.ts';
import type { PollRounds } from './poll-rounds.ts';
import { ReceiveRate } from './receive-rate.ts';

export interface PollBatcherOptions {
  readonly audience: SourceAudience;
  /** Shared by all connections. */
  readonly rounds: PollRounds;
}

/**
 * Reads a connection as soon as data arrives while a reader needs low latency, and otherwise once per round:
 * data that arrives in between stays in the system's buffer. Without this a camera costs a turn of the event
 * loop for every video and audio frame.
 */
export class PollBatcher {
  readonly #connection: RtspConnection;
  readonly #cancelLowLatency: Cancel;
  /** Set while the connection is paused. */
  #leaveRound: Cancel | undefined;

  constructor(connection: RtspConnection, clock: Clock, { audience, rounds }: PollBatcherOptions) {
    this.#connection = connection;
    const received = new ReceiveRate(clock.monotonicMs(), connection.receivedBytes);
    const wake = () => this.#wake();
    this.#cancelLowLatency = audience.onLowLatencyReader(wake);
    connection.wantsMore = () => {
      const isSlowEnough = received.isSlowEnough(clock.monotonicMs(), connection.receivedBytes);
      if (isSlowEnough && audience.toleratesLatency) this.#leaveRound ??= rounds.rest(wake);
      return this.#leaveRound === undefined;
    };
  }

  /** Returns the connection to reading everything immediately; idempotent. */
  close(): void {
    this.#cancelLowLatency();
    this.#connection.wantsMore = () => true;
    this.#wake();
  }

  #wake(): void {
    if (!this.#leaveRound) return;
    this.#leaveRound();
    this.#leaveRound = undefined;
    this.#connection.readOn();
  }
}
