import type { RtpPacket } from '@vidette/media/rtp/packet';
import { SequenceTracker } from '@vidette/media/rtp/sequence';
import type { SenderReport } from '@vidette/media/rtp/rtcp';
import { unwrap32 } from '@vidette/media/time';
import type { TrackTiming } from '../timing.ts';

/** Turns the payloads of one track into samples. */
export interface PayloadReader {
  /** @param lost packets missing before this one */
  push(packet: RtpPacket, lost: number): void;
  /** Payloads so far that did not follow their format. */
  readonly malformedPayloads: number;
  /** Releases what it holds; idempotent. */
  close(): void;
}

/**
 * One RTP stream of a session: which packets belong to it, what is missing, and its clock, unwrapped and tied to UTC.
 * What the payloads mean is the `PayloadReader`'s business.
 */
export class Receiver {
  readonly sequence = new SequenceTracker();
  hasSaidGoodbye = false;
  /** `utcMs` when the packet being read arrived. */
  arrivalMs = 0;
  readonly timing: TrackTiming;
  readonly #payloadType: number;
  readonly #onLost: (packets: number) => void;
  #reader: PayloadReader | undefined;
  #ssrc: number | undefined;
  #newestTicks: number | undefined;
  #waitingReport: SenderReport | undefined;

  /** @param onLost told of every gap in the packets' numbers */
  constructor(payloadType: number, timing: TrackTiming, onLost: (packets: number) => void) {
    this.#payloadType = payloadType;
    this.timing = timing;
    this.#onLost = onLost;
  }

  /** Payloads that did not follow their format. */
  get malformedPayloads(): number {
    return this.#reader?.malformedPayloads ?? 0;
  }

  setReader(reader: PayloadReader): void {
    this.#reader = reader;
  }

  /** Takes the next packet of this track's channel. */
  push(packet: RtpPacket, arrivalMs: number): void {
    if (packet.payloadType !== this.#payloadType) return;
    this.arrivalMs = arrivalMs;
    const isNewSender = this.#ssrc !== undefined && packet.ssrc !== this.#ssrc;
    this.#ssrc = packet.ssrc;
    if (isNewSender) this.sequence.reset();
    const lost = this.sequence.next(packet.sequence);
    if (lost < 0) return;
    if (lost > 0) this.#onLost(lost);
    if (this.#newestTicks === undefined) {
      this.#newestTicks = packet.timestamp;
      if (this.#waitingReport) this.report(this.#waitingReport);
      this.#waitingReport = undefined;
    }
    this.#reader?.push(packet, isNewSender ? Math.max(1, lost) : lost);
  }

  report(report: SenderReport): void {
    if (this.#newestTicks === undefined) {
      this.#waitingReport = report;
      return;
    }
    this.timing.report(report.ntpMs, unwrap32(this.#newestTicks, report.rtpTimestamp));
  }

  /** For the reader: a 32-bit time stamp of the packet being read, unwrapped. */
  unwrap(timestamp: number): number {
    const ticks = unwrap32(this.#newestTicks ?? timestamp, timestamp);
    this.#newestTicks = ticks;
    return ticks;
  }

  close(): void {
    this.#reader?.close();
  }
}
