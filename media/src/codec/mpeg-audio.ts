/** MPEG-1 and MPEG-2 audio (ISO/IEC 11172-3, 13818-3): where its frames begin and end. */

/** One frame within the bytes in which it was found. */
export interface MpegAudioFrame {
  readonly start: number;
  readonly end: number;
  /** Samples per channel. */
  readonly samples: number;
  /** Hz */
  readonly sampleRate: number;
}

/** kbit/s by bitrate_index, 1 to 14 (11172-3, 2.4.2.3; 13818-3, 2.4.2.3). */
const bitRates = {
  first: {
    1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  second: {
    1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

/** Hz by sampling_frequency of MPEG-1; MPEG-2 has half of it, MPEG-2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000] as const;

/** The consecutive complete frames from the first byte on; ends at the first incomplete or invalid one. */
export function mpegAudioFrames(bytes: Uint8Array): MpegAudioFrame[] {
  const frames: MpegAudioFrame[] = [];
  let start = 0;
  while (start + 4 <= bytes.length) {
    const frame = frameAt(bytes, start);
    if (!frame || frame.end > bytes.length) break;
    frames.push(frame);
    start = frame.end;
  }
  return frames;
}

function frameAt(bytes: Uint8Array, start: number): MpegAudioFrame | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(start, start + 3);
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layerBits = (second >> 1) & 3;
  if (version === 1 || layerBits === 0) return undefined;
  const layer = (4 - layerBits) as 1 | 2 | 3;
  const isFirst = version === 3;
  const bitRate = bitRates[isFirst ? 'first' : 'second'][layer][(third >> 4) - 1];
  const baseRate = sampleRates[(third >> 2) & 3];
  if (bitRate === undefined || baseRate === undefined) return undefined;
  const sampleRate = isFirst ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1152;
  const slotBytes = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples / 8 / slotBytes) * ((bitRate * 1000) / sampleRate)) + padding;
  return { start, end: start + slots * slotBytes, samples, sampleRate };
}
