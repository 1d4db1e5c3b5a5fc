import type { RtpPacket } from '@vidette/media/rtp/packet';

/** Turns the payloads of one track into samples. */
export interface PayloadDepacketizer {
  /** @param lost packets missing before this one */
  push(packet: RtpPacket, lost: number): void;
  /** Number of malformed payloads so far. */
  readonly malformedPayloads: number;
  /** Another depacketizer read this track meanwhile, so its parameters must be declared again. */
  resume?(): void;
  /** Releases its resources; idempotent. */
  close(): void;
}

export interface PayloadTypeOptions {
  /** As announced. */
  readonly payloadType: number;
  /** Called for every change of the payload type being read. */
  readonly onPayloadType?: (payloadType: number) => void;
  /**
   * Returns the depacketizer for a payload type that was not announced for this stream: the same one, another
   * one, or none (undefined). Called once for each type.
   */
  readonly readerOf?: (payloadType: number) => PayloadDepacketizer | 'same' | undefined;
  /**
   * The description lists this type with an encoding for this stream, so a camera may switch to it at any time.
   */
  readonly isListed?: (payloadType: number) => boolean;
}

/**
 * A payload type that has been silent for this long may be replaced by another, ms: until then other types are
 * its companions (FEC...).
 */
const silentTypeMs = 2000;

/**
 * Decides which payload type of an RTP stream is read, and by which depacketizer: cameras announce one type and
 * send another, or change it.
 */
export class PayloadTypeSwitch {
  readonly #options: PayloadTypeOptions;
  /** The payload type that is read, and its reader. */
  #payloadType: number;
  #reader: PayloadDepacketizer | undefined;
  /** When its last packet arrived. */
  #newestMs: number | undefined;
  /** When it replaced another type, and whether the other one returned so soon that both are being sent. */
  #takenMs = Number.NEGATIVE_INFINITY;
  #areTypesMixed = false;
  /** By payload type; undefined: not read. */
  readonly #readers = new Map<number, PayloadDepacketizer | undefined>();

  constructor(options: PayloadTypeOptions) {
    this.#options = options;
    this.#payloadType = options.payloadType;
  }

  /** As announced. */
  get announced(): number {
    return this.#options.payloadType;
  }

  /** Reads the packets of the current type; undefined before `setReader`. */
  get reader(): PayloadDepacketizer | undefined {
    return this.#reader;
  }

  /** Malformed payloads. */
  get malformedPayloads(): number {
    let sum = 0;
    for (const reader of new Set(this.#readers.values())) sum += reader?.malformedPayloads ?? 0;
    return sum;
  }

  /** Sets the depacketizer of the announced payload type. */
  setReader(reader: PayloadDepacketizer): void {
    this.#reader = reader;
    this.#readers.set(this.#options.payloadType, reader);
  }

  /** Whether a packet of this type is read; if so, `reader` is its depacketizer. */
  accepts(payloadType: number, arrivalMs: number): boolean {
    if (payloadType !== this.#payloadType && !this.#takes(payloadType, arrivalMs)) return false;
    this.#newestMs = arrivalMs;
    return true;
  }

  close(): void {
    for (const reader of new Set(this.#readers.values())) reader?.close();
  }

  /**
   * Whether another payload type is read from now on. The announced type always is, and so is another listed
   * one unless both are sent alternately; any other is if the announced one never arrived, or is silent, and
   * there is a depacketizer for it.
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
}
