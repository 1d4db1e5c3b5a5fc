import type { RtpPacket } from '@vidette/media/rtp/packet';
import { SequenceTracker } from '@vidette/media/rtp/sequence';
import type { SenderReport } from '@vidette/media/rtp/rtcp';
import { unwrap32 } from '@vidette/media/time';
import type { TrackTiming } from '../timing.ts';
import {
  PayloadTypeSwitch,
  type PayloadDepacketizer,
  type PayloadTypeOptions,
} from './payload-type-switch.ts';

export interface RtpReceiverOptions extends PayloadTypeOptions {
  readonly timing: TrackTiming;
  /** Called for every gap in the sequence numbers. */
  readonly onLost: (packets: number) => void;
}

/**
 * One RTP stream of a session: which packets belong to it, which are missing, and its clock, unwrapped and
 * mapped to UTC. The `PayloadDepacketizer` interprets the payloads.
 */
export class RtpReceiver {
  readonly sequence = new SequenceTracker();
  hasSaidGoodbye = false;
  /** `utcMs` when the packet being read arrived. */
  arrivalMs = 0;
  readonly timing: TrackTiming;
  readonly #options: RtpReceiverOptions;
  readonly #payloadTypes: PayloadTypeSwitch;
  #lostMeanwhile = 0;
  #ssrc: number | undefined;
  #newestTicks: number | undefined;
  #waitingReport: SenderReport | undefined;

  constructor(options: RtpReceiverOptions) {
    this.#options = options;
    this.#payloadTypes = new PayloadTypeSwitch(options);
    this.timing = options.timing;
  }

  /** As announced. */
  get payloadType(): number {
    return this.#payloadTypes.announced;
  }

  get ssrc(): number | undefined {
    return this.#ssrc;
  }

  /** Malformed payloads. */
  get malformedPayloads(): number {
    return this.#payloadTypes.malformedPayloads;
  }

  /** Sets the depacketizer of the announced payload type. */
  setReader(reader: PayloadDepacketizer): void {
    this.#payloadTypes.setReader(reader);
  }

  /** Takes the next packet of this track's channel. */
  push(packet: RtpPacket, arrivalMs: number): void {
    if (!this.#payloadTypes.accepts(packet.payloadType, arrivalMs)) {
      this.#passOver(packet);
      return;
    }
    this.arrivalMs = arrivalMs;
    const isNewSender = this.#ssrc !== undefined && packet.ssrc !== this.#ssrc;
    this.#ssrc = packet.ssrc;
    if (isNewSender) this.sequence.reset();
    const lost = this.sequence.next(packet.sequence);
    if (lost < 0) return;
    if (lost > 0) this.#options.onLost(lost);
    if (this.#newestTicks === undefined) {
      this.#newestTicks = packet.timestamp;
      if (this.#waitingReport) this.report(this.#waitingReport);
      this.#waitingReport = undefined;
    }
    this.#payloadTypes.reader?.push(packet, (isNewSender ? Math.max(1, lost) : lost) + this.#lostMeanwhile);
    this.#lostMeanwhile = 0;
  }

  /** Counts a packet that isn't read: its number belongs to the same sequence. */
  #passOver(packet: RtpPacket): void {
    if (packet.ssrc !== this.#ssrc) return;
    const lost = this.sequence.next(packet.sequence);
    if (lost <= 0) return;
    this.#lostMeanwhile += lost;
    this.#options.onLost(lost);
  }

  report(report: SenderReport): void {
    if (this.#newestTicks === undefined) {
      this.#waitingReport = report;
      return;
    }
    this.timing.report(report.ntpMs, unwrap32(this.#newestTicks, report.rtpTimestamp));
  }

  /** For depacketizers: a 32-bit timestamp of the packet being read, unwrapped. */
  unwrap(timestamp: number): number {
    const ticks = unwrap32(this.#newestTicks ?? timestamp, timestamp);
    this.#newestTicks = ticks;
    return ticks;
  }

  close(): void {
    this.#payloadTypes.close();
  }
}
