import type { RtpPacket } from '@vidette/media/rtp/packet';
import { SequenceTracker } from '@vidette/media/rtp/sequence';
import type { SenderReport } from '@vidette/media/rtp/rtcp';
import { unwrap32 } from '@vidette/media/time';
import type { TrackTiming } from '../timing.ts';

/** Turns the payloads of one track into samples. */
export interface PayloadDepacketizer {
  /** @param lost packets missing before this one */
  push(packet: RtpPacket, lost: number): void;
  /** Payloads so far that did not follow their format. */
  readonly malformedPayloads: number;
  /** Another depacketizer read this track meanwhile: its parameters are to be declared again. */
  resume?(): void;
  /** Releases what it holds; idempotent. */
  close(): void;
}

export interface RtpReceiverOptions {
  /** As announced. */
  readonly payloadType: number;
  readonly timing: TrackTiming;
  /** Called for every gap in the sequence numbers. */
  readonly onLost: (packets: number) => void;
  /** Called for every change of the payload type that is read. */
  readonly onPayloadType?: (payloadType: number) => void;
  /**
   * Returns the depacketizer of a payload type that was not announced for this stream: the same one, another
   * one, or none (undefined). Called once for each type.
   */
  readonly readerOf?: (payloadType: number) => PayloadDepacketizer | 'same' | undefined;
  /** The description lists this type with an encoding for this stream: a camera may switch to it at any time. */
  readonly isListed?: (payloadType: number) => boolean;
}

/**
 * A payload type that was silent for this long may be replaced by another, ms: until then others are its
 * companions (FEC...).
 */
const silentTypeMs = 2000;

/**
 * One RTP stream of a session: which packets belong to it, what is missing, and its clock, unwrapped and tied to UTC.
 * The `PayloadDepacketizer` interprets the payloads.
 */
export class RtpReceiver {
  readonly sequence = new SequenceTracker();
  hasSaidGoodbye = false;
  /** `utcMs` when the packet being read arrived. */
  arrivalMs = 0;
  readonly timing: TrackTiming;
  readonly #options: RtpReceiverOptions;
  /** The payload type that is read, and its reader. */
  #payloadType: number;
  #reader: PayloadDepacketizer | undefined;
  /** When its last packet arrived. */
  #newestMs: number | undefined;
  /** When it replaced another type, and whether the other one came back so soon that both are sent. */
  #takenMs = Number.NEGATIVE_INFINITY;
  #areTypesMixed = false;
  /** By payload type; undefined: not for us. */
  readonly #readers = new Map<number, PayloadDepacketizer | undefined>();
  #lostMeanwhile = 0;
  #ssrc: number | undefined;
  #newestTicks: number | undefined;
  #waitingReport: SenderReport | undefined;

  constructor(options: RtpReceiverOptions) {
    this.#options = options;
    this.#payloadType = options.payloadType;
    this.timing = options.timing;
  }

  /** As announced. */
  get payloadType(): number {
    return this.#options.payloadType;
  }

  get ssrc(): number | undefined {
    return this.#ssrc;
  }

  /** Malformed payloads. */
  get malformedPayloads(): number {
    let sum = 0;
    for (const reader of new Set(this.#readers.values())) sum += reader?.malformedPayloads ?? 0;
    return sum;
  }

  /** Sets what reads the announced payload type. */
  setReader(reader: PayloadDepacketizer): void {
    this.#reader = reader;
    this.#readers.set(this.#options.payloadType, reader);
  }

  /** Takes the next packet of this track's channel. */
  push(packet: RtpPacket, arrivalMs: number): void {
    if (packet.payloadType !== this.#payloadType && !this.#takes(packet.payloadType, arrivalMs)) {
      this.#passOver(packet);
      return;
    }
    this.arrivalMs = arrivalMs;
    this.#newestMs = arrivalMs;
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
    this.#reader?.push(packet, (isNewSender ? Math.max(1, lost) : lost) + this.#lostMeanwhile);
    this.#lostMeanwhile = 0;
  }

  /**
   * Whether a packet of another payload type is read from now on. The announced type always is, and so is
   * another listed one unless both are sent alternately; any other is if the announced one never arrived, or is
   * silent, and there is a depacketizer for it: cameras announce one type and send another.
   */
  #takes(payloadType: number, arrivalMs: number): boolean {
    const { isListed, readerOf } = this.#options;
    const isAnnounced = payloadType === this.#options.payloadType;
    const newestMs = this.#newestMs;
    const mayWait = !isAnnounced && newestMs !== undefined && arrivalMs - newestMs < silentTypeMs;
    if (mayWait && (this.#areTypesMixed || !isListed?.(payloadType))) return false;
    if (!this.#readers.has(payloadType)) {
      const found = readerOf?.(payloadType);
      this.#readers.set(payloadType, found === 'same' ? this.#readers.get(this.#options.payloadType) : found);
    }
    const reader = this.#readers.get(payloadType);
    if (!reader) return false;
    if (arrivalMs - this.#takenMs < silentTypeMs) this.#areTypesMixed = true;
    this.#takenMs = arrivalMs;
    this.#payloadType = payloadType;
    if (reader !== this.#reader) reader.resume?.();
    this.#reader = reader;
    this.#options.onPayloadType?.(payloadType);
    return true;
  }

  /** Counts a packet that isn't read: it has a number in the same sequence. */
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

  /** For the reader: a 32-bit time stamp of the packet being read, unwrapped. */
  unwrap(timestamp: number): number {
    const ticks = unwrap32(this.#newestTicks ?? timestamp, timestamp);
    this.#newestTicks = ticks;
    return ticks;
  }

  close(): void {
    for (const reader of new Set(this.#readers.values())) reader?.close();
  }
}
