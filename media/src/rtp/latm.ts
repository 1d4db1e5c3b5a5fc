/** The older RTP payload format of AAC, MP4A-LATM, with its configuration out of band (RFC 6416; ISO/IEC 14496-3, 1.7.3). */
import { BitReader, BitWriter } from '../bits.ts';
import { parseAacConfig } from '../codec/aac.ts';
import { MalformedError } from '../malformed.ts';
import { BytePile } from './byte-pile.ts';
import type { AudioUnit } from './mpeg4-generic.ts';
import type { RtpPacket } from './packet.ts';

const maxFrameBytes = 64 * 1024;

export interface LatmConfig {
  readonly audioSpecificConfig: Uint8Array;
  /** Number of frames in every packet. */
  readonly frames: number;
}

/** Reads a StreamMuxConfig of one programme with one layer (ISO/IEC 14496-3, 1.7.3.1). */
export function parseStreamMuxConfig(bytes: Uint8Array): LatmConfig {
  const reader = new BitReader(bytes);
  if (reader.flag()) throw new MalformedError('audioMuxVersion 1 is not supported');
  reader.skip(1);
  const frames = reader.bits(6) + 1;
  if (reader.bits(4) !== 0 || reader.bits(3) !== 0) throw new MalformedError('several programmes or layers');
  const writer = new BitWriter();
  while (reader.remaining > 0) writer.bits(1, reader.bits(1));
  const shifted = writer.finish();
  // What follows the configuration belongs to the multiplex: the shortest part that parses to the same result
  // is kept.
  const whole = parseAacConfig(shifted);
  const plainBytes = whole.hasSbr ? Math.min(shifted.length, 5) : 2;
  return { audioSpecificConfig: shifted.slice(0, plainBytes), frames };
}

/** Takes packets and emits frames. */
export class LatmDepacketizer {
  malformedPayloads = 0;
  readonly #frames: number;
  readonly #frameTicks: number;
  readonly #onFrame: (frame: AudioUnit) => void;
  readonly #pile: BytePile;
  #timestamp = 0;
  #isDamaged = false;
  #awaitsStart = false;

  /** @param frameTicks duration of one frame on the RTP clock */
  constructor(frames: number, frameTicks: number, onFrame: (frame: AudioUnit) => void) {
    this.#frames = frames;
    this.#pile = new BytePile(maxFrameBytes * frames);
    this.#frameTicks = frameTicks;
    this.#onFrame = onFrame;
  }

  /** @param lost packets missing before this one; an audioMuxElement ends at the marker bit (RFC 6416, 6.1) */
  push(packet: RtpPacket, lost: number): void {
    if (lost > 0) {
      this.#drop();
      this.#isDamaged = true;
      // It is unknown whether a continuation or a beginning comes now; the next beginning is after a marker.
      this.#awaitsStart = true;
    }
    if (this.#pile.size === 0) this.#timestamp = packet.timestamp;
    if (!this.#pile.add(packet.bytes, packet.payloadStart, packet.payloadEnd)) this.#malformed();
    if (!packet.isMarker) return;
    const element = this.#pile.take();
    if (this.#awaitsStart) this.#awaitsStart = false;
    else this.#split(element);
  }

  #split(element: Uint8Array): void {
    const size = element.length;
    let at = 0;
    for (let index = 0; index < this.#frames; index++) {
      let length = 0;
      let part = 255;
      while (part === 255) {
        if (at >= size) {
          this.#malformed();
          return;
        }
        part = element[at++] ?? 0;
        length += part;
      }
      if (at + length > size) {
        this.#malformed();
        return;
      }
      if (length > 0) this.#give(index, element.subarray(at, at + length));
      at += length;
    }
  }

  #give(index: number, frame: Uint8Array): void {
    const isDamaged = this.#isDamaged;
    this.#isDamaged = false;
    const timestamp = (this.#timestamp + index * this.#frameTicks) >>> 0;
    this.#onFrame({ timestamp, isDamaged, bytes: { data: [frame] }, size: frame.length });
  }

  #drop(): void {
    this.#pile.take();
  }

  #malformed(): void {
    this.malformedPayloads++;
    this.#isDamaged = true;
    this.#drop();
  }
}
