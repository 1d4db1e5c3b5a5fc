/** The RTP payload format of AAC: mpeg4-generic in its modes AAC-hbr and AAC-lbr (RFC 3640). */
import { BitReader } from '../bits.ts';
import { MalformedError } from '../malformed.ts';
import type { FrameBytes } from '../placed-sample.ts';
import { ByteArena, receivedAudioBlocks } from './byte-arena.ts';
import type { RtpPacket } from './packet.ts';

/** One audio frame as received. */
export interface AudioUnit {
  /** RTP timestamp, 32 bits. */
  readonly timestamp: number;
  readonly isDamaged: boolean;
  readonly bytes: FrameBytes;
  readonly size: number;
}

/** Lengths of the fields in an AU header, bits (RFC 3640, 3.2.1 and 4.1). */
export interface AuHeaderLayout {
  readonly sizeLength: number;
  readonly indexLength: number;
  readonly indexDeltaLength: number;
  readonly ctsDeltaLength: number;
  readonly dtsDeltaLength: number;
  readonly randomAccessIndication: number;
  readonly streamStateIndication: number;
  readonly auxiliaryDataSizeLength: number;
  /** Bytes of every frame if headers don't specify it; 0 if they do. */
  readonly constantSize: number;
}

const maxFrameBytes = 64 * 1024;
const maxFramesPerPacket = 64;

/** Parses the layout from fmtp parameters; throws `MalformedError` if a length is out of range. */
export function auHeaderLayout(parameters: ReadonlyMap<string, string>): AuHeaderLayout {
  const mode = parameters.get('mode')?.toLowerCase();
  const usual = mode === 'aac-lbr' ? { size: 6, index: 2 } : { size: 13, index: 3 };
  const number = (name: string, otherwise: number, max: number): number => {
    const text = parameters.get(name);
    if (text === undefined) return otherwise;
    if (!/^\d{1,6}$/.test(text) || Number(text) > max) throw new MalformedError(`${name} out of range`);
    return Number(text);
  };
  const constantSize = number('constantsize', 0, maxFrameBytes);
  // Cameras omit the lengths; the mode implies them.
  const isImplied = constantSize === 0 && !parameters.has('sizelength');
  return {
    sizeLength: number('sizelength', isImplied ? usual.size : 0, 32),
    indexLength: number('indexlength', isImplied ? usual.index : 0, 32),
    indexDeltaLength: number('indexdeltalength', isImplied ? usual.index : 0, 32),
    ctsDeltaLength: number('ctsdeltalength', 0, 32),
    dtsDeltaLength: number('dtsdeltalength', 0, 32),
    randomAccessIndication: number('randomaccessindication', 0, 1),
    streamStateIndication: number('streamstateindication', 0, 32),
    auxiliaryDataSizeLength: number('auxiliarydatasizelength', 0, 32),
    constantSize,
  };
}

/**
 * Takes packets and emits frames; interleaved frames (with an index other than 0) are emitted in order of
 * arrival.
 */
export class Mpeg4GenericDepacketizer {
  malformedPayloads = 0;
  readonly #layout: AuHeaderLayout;
  readonly #frameTicks: number;
  readonly #onFrame: (frame: AudioUnit) => void;
  readonly #hasHeaders: boolean;
  /** Of two bytes, with nothing but size and index. */
  readonly #hasShortHeaders: boolean;
  readonly #arena = new ByteArena(receivedAudioBlocks);
  /** A frame that is larger than a packet, as far as it has arrived. */
  #fragments: Uint8Array[] = [];
  #fragmentBytes = 0;
  #fragmentTimestamp = 0;
  #isDamaged = false;

  /** @param frameTicks duration of one frame on the RTP clock, 1024 for most */
  constructor(layout: AuHeaderLayout, frameTicks: number, onFrame: (frame: AudioUnit) => void) {
    this.#layout = layout;
    this.#frameTicks = frameTicks;
    this.#onFrame = onFrame;
    const { sizeLength, indexLength, ctsDeltaLength, dtsDeltaLength } = layout;
    const { randomAccessIndication, streamStateIndication } = layout;
    this.#hasHeaders =
      sizeLength +
        indexLength +
        ctsDeltaLength +
        dtsDeltaLength +
        randomAccessIndication +
        streamStateIndication >
      0;
    this.#hasShortHeaders =
      sizeLength > 0 &&
      sizeLength + indexLength === 16 &&
      ctsDeltaLength + dtsDeltaLength + randomAccessIndication + streamStateIndication === 0;
  }

  /** @param lost packets missing before this one */
  push(packet: RtpPacket, lost: number): void {
    if (lost > 0) {
      this.#isDamaged = true;
      this.#dropFragments();
    }
    try {
      this.#unpack(packet);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.malformedPayloads++;
      this.#isDamaged = true;
      this.#dropFragments();
    }
  }

  #unpack(packet: RtpPacket): void {
    const { bytes, payloadStart, payloadEnd, timestamp } = packet;
    let at = payloadStart;
    let sizes: number[] = [];
    if (this.#hasHeaders) {
      const headerBits = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      const headerEnd = at + 2 + Math.ceil(headerBits / 8);
      if (headerEnd > payloadEnd) throw new MalformedError('AU headers longer than their packet');
      sizes =
        this.#singleSize(bytes, at + 2, headerBits) ??
        this.#readSizes(bytes.subarray(at + 2, headerEnd), headerBits);
      at = headerEnd;
    }
    if (this.#layout.auxiliaryDataSizeLength > 0) {
      const auxiliary = new BitReader(bytes.subarray(at, payloadEnd));
      const bits = auxiliary.bits(this.#layout.auxiliaryDataSizeLength);
      at += Math.ceil((this.#layout.auxiliaryDataSizeLength + bits) / 8);
      if (at > payloadEnd) throw new MalformedError('auxiliary data longer than their packet');
    }
    if (this.#layout.sizeLength === 0) sizes = this.#constantSizes(payloadEnd - at);
    let index = 0;
    for (const size of sizes) {
      const next = at + size;
      if (next <= payloadEnd && this.#fragmentBytes === 0) {
        const kept = this.#arena.keep(bytes, at, next);
        this.#give((timestamp + index * this.#frameTicks) >>> 0, kept, size);
      } else if (sizes.length === 1) {
        this.#addFragment(new Uint8Array(bytes.subarray(at, payloadEnd)), timestamp, size);
      } else {
        throw new MalformedError('AU longer than its packet');
      }
      at = next;
      index++;
    }
  }

  /** Of a packet with one frame, whose header has two bytes (AAC-hbr, RFC 3640, 3.3.6); undefined for any other. No frame can be too large. */
  #singleSize(bytes: Uint8Array, at: number, headerBits: number): number[] | undefined {
    if (!this.#hasShortHeaders || headerBits !== 16) return undefined;
    const size = (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) >>> this.#layout.indexLength;
    return size > 0 ? [size] : [];
  }

  #readSizes(headers: Uint8Array, headerBits: number): number[] {
    const layout = this.#layout;
    const reader = new BitReader(headers);
    const sizes: number[] = [];
    while (reader.position < headerBits) {
      if (sizes.length >= maxFramesPerPacket) throw new MalformedError('too many AU headers');
      const before = reader.position;
      const size = layout.sizeLength > 0 ? reader.bits(layout.sizeLength) : layout.constantSize;
      reader.skip(sizes.length === 0 ? layout.indexLength : layout.indexDeltaLength);
      if (layout.ctsDeltaLength > 0 && reader.flag()) reader.skip(layout.ctsDeltaLength);
      if (layout.dtsDeltaLength > 0 && reader.flag()) reader.skip(layout.dtsDeltaLength);
      reader.skip(layout.randomAccessIndication + layout.streamStateIndication);
      if (reader.position === before) break;
      if (size > maxFrameBytes) throw new MalformedError(`AU over ${maxFrameBytes} bytes`);
      if (size > 0) sizes.push(size);
    }
    return sizes;
  }

  #constantSizes(payloadBytes: number): number[] {
    const { constantSize } = this.#layout;
    if (constantSize === 0) return payloadBytes > 0 ? [payloadBytes] : [];
    const count = Math.min(maxFramesPerPacket, Math.floor(payloadBytes / constantSize));
    return Array<number>(count).fill(constantSize);
  }

  /** Every fragment of a frame repeats the size of the complete frame (RFC 3640, 3.2.3.1). */
  #addFragment(piece: Uint8Array, timestamp: number, frameBytes: number): void {
    if (this.#fragmentBytes > 0 && this.#fragmentTimestamp !== timestamp) {
      this.#isDamaged = true;
      this.#dropFragments();
    }
    // Otherwise fragments without data could arrive endlessly.
    if (piece.length === 0) throw new MalformedError('empty fragment');
    this.#fragments.push(piece);
    this.#fragmentBytes += piece.length;
    this.#fragmentTimestamp = timestamp;
    if (this.#fragmentBytes < frameBytes) return;
    const fragments = this.#fragments;
    const size = this.#fragmentBytes;
    this.#dropFragments();
    if (size > frameBytes) throw new MalformedError('fragments longer than their AU');
    this.#give(timestamp, { data: fragments }, size);
  }

  #dropFragments(): void {
    this.#fragments = [];
    this.#fragmentBytes = 0;
  }

  #give(timestamp: number, bytes: FrameBytes, size: number): void {
    const isDamaged = this.#isDamaged;
    this.#isDamaged = false;
    this.#onFrame({ timestamp, isDamaged, bytes, size });
  }
}
