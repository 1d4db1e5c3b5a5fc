import type { Cancel, Clock } from '../../base/clock.ts';
import type { SourceAudience } from '../source.ts';
import type { RtspConnection } from './connection.ts';
import type { PollRounds } from './poll-rounds.ts';

export interface PollBatcherOptions {
  readonly audience: SourceAudience;
  /** Shared by all connections. */
  readonly rounds: PollRounds;
}

/**
 * Above this rate a connection is read immediately, bytes per second: a camera with small send buffers would
 * have to wait for the receive buffer of this system, and fall behind permanently. Below it, a round leaves no
 * more than 60 KB there, which is the initial capacity of that buffer, before it has grown.
 */
const maxRate = 600_000;
const ratePeriodMs = 1000;

/**
 * Reads a connection as soon as data arrives while a reader needs low latency, and otherwise once per round:
 * data that arrives in between stays in the system's buffer. Without this a camera costs a turn of the event
 * loop for every video and audio frame.
 */
export class PollBatcher {
  readonly #connection: RtspConnection;
  readonly #clock: Clock;
  readonly #cancelLowLatency: Cancel;
  /** Set while the connection is paused. */
  #leaveRound: Cancel | undefined;
  #periodStartMs: number;
  #periodStartBytes: number;
  #isSlowEnough = false;

  constructor(connection: RtspConnection, clock: Clock, { audience, rounds }: PollBatcherOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#periodStartMs = clock.monotonicMs();
    this.#periodStartBytes = connection.receivedBytes;
    const wake = () => this.#wake();
    this.#cancelLowLatency = audience.onLowLatencyReader(wake);
    connection.wantsMore = () => {
      this.#measure();
      if (this.#isSlowEnough && audience.toleratesLatency) this.#leaveRound ??= rounds.rest(wake);
      return this.#leaveRound === undefined;
    };
  }

  /** Returns the connection to reading everything immediately; idempotent. */
  close(): void {
    this.#cancelLowLatency();
    this.#connection.wantsMore = () => true;
    this.#wake();
  }

  /** The first second is read immediately, and every second determines how the next is read. */
  #measure(): void {
    const nowMs = this.#clock.monotonicMs();
    const elapsedMs = nowMs - this.#periodStartMs;
    if (elapsedMs < ratePeriodMs) return;
    const { receivedBytes } = this.#connection;
    this.#isSlowEnough = ((receivedBytes - this.#periodStartBytes) * 1000) / elapsedMs <= maxRate;
    this.#periodStartMs = nowMs;
    this.#periodStartBytes = receivedBytes;
  }

  #wake(): void {
    if (!this.#leaveRound) return;
    this.#leaveRound();
    this.#leaveRound = undefined;
    this.#connection.readOn();
  }
}
