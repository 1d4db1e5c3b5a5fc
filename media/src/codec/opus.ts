/** Opus: the duration of a packet (RFC 6716 section 3.1) and its record in MP4 ("Opus in ISOBMFF", 4.3.2). */
import { ByteReader, ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import type { AudioTrack } from '../track.ts';

/** Opus measures time at 48 kHz, whatever the rate of its input (RFC 7587 section 4.1). */
export const OPUS_SAMPLE_RATE = 48000;
/** A live source is joined in mid-stream, so there are no initial encoder samples to drop. */
const DEFAULT_PRE_SKIP = 0;
/** 120 ms: RFC 6716 section 3.2.5, requirement R5. */
const MAX_PACKET_SAMPLES = 5760;

/** Samples at 48 kHz per frame by the five configuration bits of the TOC: RFC 6716 table 2. */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1920, 2880][configuration % 4] ?? 0;
  if (configuration < 16) return [480, 960][configuration % 2] ?? 0;
  return [120, 240, 480, 960][configuration % 4] ?? 0;
}

/**
 * Number of samples at 48 kHz that a packet decodes to.
 * @throws MalformedError for an empty packet and for one longer than 120 ms
 */
export function opusPacketSamples(packet: Uint8Array): number {
  const [toc, counts] = packet;
  if (toc === undefined) throw new MalformedError('empty Opus packet');
  const code = toc & 3;
  if (code === 3 && counts === undefined) throw new MalformedError('Opus packet without its frame count');
  const frames = code === 0 ? 1 : code === 3 ? (counts ?? 0) & 63 : 2;
  const samples = frames * frameSamples(toc >>> 3);
  if (samples === 0 || samples > MAX_PACKET_SAMPLES)
    throw new MalformedError(`Opus packet of ${samples} samples`);
  return samples;
}

/**
 * The body of a dOps box, channel mapping family 0.
 * @param channels 1 or 2, all that family 0 supports
 * @param inputSampleRate Hz before encoding, for information
 */
export function buildDops(
  channels: number,
  inputSampleRate: number = OPUS_SAMPLE_RATE,
  preSkip: number = DEFAULT_PRE_SKIP,
): Uint8Array {
  if (channels !== 1 && channels !== 2) throw new RangeError(`Opus family 0 with ${channels} channels`);
  const out = new ByteWriter(11);
  out.u8(0);
  out.u8(channels);
  out.u16(preSkip);
  out.u32(inputSampleRate);
  out.i16(0);
  out.u8(0);
  return out.finish();
}

export interface OpusConfig {
  readonly channels: number;
  /** Samples at 48 kHz to drop at the start. */
  readonly preSkip: number;
  /** Hz before encoding. */
  readonly inputSampleRate: number;
}

/** Parses the body of a dOps box. @throws MalformedError for an unknown version or no channels */
export function parseDops(config: Uint8Array): OpusConfig {
  const reader = new ByteReader(config);
  const version = reader.u8();
  if (version !== 0) throw new MalformedError(`dOps version ${version}`);
  const channels = reader.u8();
  if (channels === 0) throw new MalformedError('dOps without channels');
  const preSkip = reader.u16();
  const inputSampleRate = reader.u32();
  reader.skip(3);
  return { channels, preSkip, inputSampleRate };
}

/** The track that the body of a dOps box describes. @throws MalformedError if it cannot be read */
export function opusTrack(id: number, config: Uint8Array): AudioTrack {
  const { channels } = parseDops(config);
  return {
    id,
    kind: 'audio',
    codec: 'opus',
    timescale: OPUS_SAMPLE_RATE,
    codecString: 'opus',
    sampleRate: OPUS_SAMPLE_RATE,
    channels,
    config,
  };
}
