import type { Cancel, Clock } from '../../base/clock.ts';
import type { SourceSink } from '../source.ts';
import type { RtspConnection } from './connection.ts';
import type { RtpReceiver } from './rtp-receiver.ts';

export interface ReceptionReportOptions {
  readonly connection: RtspConnection;
  readonly clock: Clock;
  readonly sink: SourceSink;
  readonly receivers: readonly RtpReceiver[];
}

/** Reception errors, counted since the session began. */
interface Trouble {
  readonly lostPackets: number;
  readonly latePackets: number;
  readonly malformedPayloads: number;
  readonly clockJumps: number;
  readonly strayBytes: number;
}

const periodMs = 10_000;

/** Logs the hot path's counters if they have changed, at most every ten seconds. */
export class ReceptionReport {
  readonly #options: ReceptionReportOptions;
  readonly #cancel: Cancel;
  #reported: Trouble = { lostPackets: 0, latePackets: 0, malformedPayloads: 0, clockJumps: 0, strayBytes: 0 };

  constructor(options: ReceptionReportOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(periodMs, () => this.#report());
  }

  /** Logs what has not been logged yet. */
  close(): void {
    this.#cancel();
    this.#report();
  }

  #report(): void {
    const { receivers, connection, sink } = this.#options;
    const sum = (of: (receiver: RtpReceiver) => number) =>
      receivers.reduce((total, one) => total + of(one), 0);
    const now: Trouble = {
      lostPackets: sum(({ sequence }) => sequence.lost),
      latePackets: sum(({ sequence }) => sequence.late),
      malformedPayloads: sum((receiver) => receiver.malformedPayloads),
      clockJumps: sum(({ timing }) => timing.jumps),
      strayBytes: connection.skippedBytes,
    };
    const before = this.#reported;
    this.#reported = now;
    const news = [
      say(now.lostPackets - before.lostPackets, 'lost packets'),
      say(now.latePackets - before.latePackets, 'late or duplicate packets'),
      say(now.malformedPayloads - before.malformedPayloads, 'malformed packets'),
      say(now.clockJumps - before.clockJumps, 'timestamp jumps'),
      say(now.strayBytes - before.strayBytes, 'stray bytes between packets'),
    ].filter((text) => text !== '');
    if (news.length > 0) sink.note(`Reception: ${news.join(', ')}.`, { ...now });
  }
}

function say(count: number, what: string): string {
  return count > 0 ? `${count} ${what}` : '';
}
