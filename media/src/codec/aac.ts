/**
 * AAC: AudioSpecificConfig (ISO/IEC 14496-3 clause 1.6.2.1) and the parameters that a track needs from it. For
 * ADTS see `adts.ts`.
 */
import { BitReader, BitWriter } from '../bits.ts';
import { MalformedError } from '../malformed.ts';
import type { AudioTrack } from '../track.ts';

/** samplingFrequencyIndex: table 1.18. */
export const AAC_SAMPLE_RATES: readonly number[] = [
  96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
];
const EXPLICIT_RATE = 15;
const MAX_SAMPLE_RATE = 192000;
/** Channels by channelConfiguration: table 1.19; 0 means that a program_config_element defines them. */
const CHANNELS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 0, 8];

const AOT = { lc: 2, sbr: 5, ps: 29, eld: 39 } as const;
/** Audio object types whose configuration is a GASpecificConfig: clause 1.6.2.1. */
const GENERAL_AUDIO = new Set([1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]);

export interface AacConfig {
  /** Audio object type of the core coder: 2 is AAC-LC. */
  readonly objectType: number;
  /** Hz of the core coder. */
  readonly coreSampleRate: number;
  /** Output rate of a decoder, Hz: twice that of the core coder with SBR. */
  readonly sampleRate: number;
  /** Channels of the core coder; a parametric-stereo stream with 1 decodes to 2. */
  readonly channels: number;
  readonly hasSbr: boolean;
  readonly hasPs: boolean;
  /** Samples per frame at `sampleRate`: 1024 or 960, doubled with SBR. */
  readonly frameSamples: number;
}

/** Parses an AudioSpecificConfig. @throws MalformedError if it is truncated or out of range */
export function parseAacConfig(config: Uint8Array): AacConfig {
  const r = new BitReader(config);
  let objectType = readObjectType(r);
  const coreSampleRate = readSampleRate(r);
  const channelConfiguration = r.bits(4);
  let hasSbr = false;
  let hasPs = false;
  let sampleRate = coreSampleRate;
  if (objectType === AOT.sbr || objectType === AOT.ps) {
    hasSbr = true;
    hasPs = objectType === AOT.ps;
    sampleRate = readSampleRate(r);
    objectType = readObjectType(r);
    if (objectType === 22) r.skip(4);
  }
  let channels = CHANNELS[channelConfiguration] ?? 0;
  let coreFrame = 1024;
  if (GENERAL_AUDIO.has(objectType)) {
    if (r.flag()) coreFrame = 960;
    if (r.flag()) r.skip(14);
    const extended = r.flag();
    if (channelConfiguration === 0) channels = readProgramChannels(r);
    if (objectType === 6 || objectType === 20) r.skip(3);
    if (extended) {
      if (objectType === 22) r.skip(16);
      if (objectType === 17 || objectType === 19 || objectType === 20 || objectType === 23) r.skip(3);
      r.skip(1);
    }
  } else if (objectType === AOT.eld) {
    coreFrame = r.flag() ? 480 : 512;
  } else {
    throw new MalformedError(`audio object type ${objectType}`);
  }
  if (channels === 0) throw new MalformedError(`channel configuration ${channelConfiguration}`);
  // Backward-compatible signalling: after the configuration of the core coder 0x2b7 announces SBR, 0x548 PS.
  if (!hasSbr && r.remaining >= 16 && r.bits(11) === 0x2b7 && readObjectType(r) === AOT.sbr && r.flag()) {
    hasSbr = true;
    sampleRate = readSampleRate(r);
    if (r.remaining >= 12 && r.bits(11) === 0x548) hasPs = r.flag();
  }
  const frameSamples = Math.round((coreFrame * sampleRate) / coreSampleRate);
  return { objectType, coreSampleRate, sampleRate, channels, hasSbr, hasPs, frameSamples };
}

/** Clause 1.6.2.1, GetAudioObjectType. */
function readObjectType(r: BitReader): number {
  const type = r.bits(5);
  return type === 31 ? 32 + r.bits(6) : type;
}

function readSampleRate(r: BitReader): number {
  const index = r.bits(4);
  const rate = index === EXPLICIT_RATE ? r.bits(24) : AAC_SAMPLE_RATES[index];
  if (rate === undefined || rate < 1 || rate > MAX_SAMPLE_RATE)
    throw new MalformedError(`sampling rate index ${index}`);
  return rate;
}

/** program_config_element, clause 4.4.1.1 table 4.2: only its channels are counted. */
function readProgramChannels(r: BitReader): number {
  r.skip(4 + 2 + 4);
  const front = r.bits(4);
  const side = r.bits(4);
  const back = r.bits(4);
  const lfe = r.bits(2);
  const associated = r.bits(3);
  const coupling = r.bits(4);
  if (r.flag()) r.skip(4);
  if (r.flag()) r.skip(4);
  if (r.flag()) r.skip(3);
  let channels = lfe;
  for (let i = 0; i < front + side + back; i++) {
    channels += r.flag() ? 2 : 1;
    r.skip(4);
  }
  r.skip((lfe + associated) * 4 + coupling * 5);
  // The element is byte-aligned before its comment.
  r.skip((8 - (r.position % 8)) % 8);
  r.skip(r.bits(8) * 8);
  return channels;
}

/**
 * An AudioSpecificConfig of AAC-LC with frames of 1024 samples.
 * @param channels 1 to 8, except 7, which channelConfiguration cannot express for this layout
 */
export function buildAacConfig(sampleRate: number, channels: number): Uint8Array {
  const channelConfiguration = CHANNELS.indexOf(channels);
  if (channels < 1 || channelConfiguration < 1 || channelConfiguration > 7) {
    throw new RangeError(`AAC with ${channels} channels`);
  }
  const out = new BitWriter();
  out.bits(5, AOT.lc);
  const index = AAC_SAMPLE_RATES.indexOf(sampleRate);
  if (index === -1) {
    out.bits(4, EXPLICIT_RATE);
    out.bits(24, sampleRate);
  } else {
    out.bits(4, index);
  }
  out.bits(4, channelConfiguration);
  out.bits(3, 0);
  return out.finish();
}

/** `mp4a.40.2`: RFC 6381 section 3.3, with the object type at the start of the configuration. */
export function aacCodecString(config: Uint8Array): string {
  return `mp4a.40.${readObjectType(new BitReader(config))}`;
}

/** The track that an AudioSpecificConfig describes. @throws MalformedError if it cannot be read */
export function aacTrack(id: number, config: Uint8Array): AudioTrack {
  const { sampleRate, channels } = parseAacConfig(config);
  return {
    id,
    kind: 'audio',
    codec: 'aac',
    timescale: sampleRate,
    codecString: aacCodecString(config),
    sampleRate,
    channels,
    config,
  };
}
