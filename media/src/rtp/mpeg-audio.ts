import { mpegAudioFrames } from '../codec/mpeg-audio.ts';
import type { RtpPacket } from './packet.ts';

const headerBytes = 4;
/** The longest possible frame has 2881 bytes: MPEG-2.5, layer II, 160 kbit/s at 8 kHz, padded. */
const frameMaxBytes = 4096;
const clockRate = 90_000;

/**
 * MPEG audio according to RFC 2250, 3.5: after a header of four bytes a packet contains complete frames, or a
 * part of one with its offset. Complete frames are passed on with their RTP timestamps; split frames are
 * joined.
 */
export class MpegAudioDepacketizer {
  readonly #onFrame: (bytes: Uint8Array, timestamp: number) => void;
  readonly #part = new Uint8Array(frameMaxBytes);
  #partBytes = 0;

  constructor(onFrame: (bytes: Uint8Array, timestamp: number) => void) {
    this.#onFrame = onFrame;
  }

  push({ bytes, payloadStart, payloadEnd, timestamp }: RtpPacket): void {
    if (payloadEnd - payloadStart <= headerBytes) return;
    const offset = ((bytes[payloadStart + 2] ?? 0) << 8) | (bytes[payloadStart + 3] ?? 0);
    const payload = bytes.subarray(payloadStart + headerBytes, payloadEnd);
    if (offset === 0) this.#partBytes = 0;
    // A part whose predecessor was lost is useless.
    if (offset !== this.#partBytes || offset + payload.length > frameMaxBytes) {
      this.#partBytes = 0;
      if (offset === 0) this.#give(payload, timestamp);
      return;
    }
    if (offset === 0 && this.#give(payload, timestamp)) return;
    this.#part.set(payload, offset);
    this.#partBytes = offset + payload.length;
    if (offset > 0 && this.#give(this.#part.subarray(0, this.#partBytes), timestamp)) this.#partBytes = 0;
  }

  /** Whether it contained a complete frame. */
  #give(bytes: Uint8Array, timestamp: number): boolean {
    let ticks = timestamp;
    const frames = mpegAudioFrames(bytes);
    for (const { start, end, samples, sampleRate } of frames) {
      this.#onFrame(bytes.slice(start, end), ticks >>> 0);
      ticks += Math.round((samples * clockRate) / sampleRate);
    }
    return frames.length > 0;
  }
}
