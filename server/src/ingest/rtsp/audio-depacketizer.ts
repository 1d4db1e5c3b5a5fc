import { aacTrack, parseAacConfig } from '@vidette/media/codec/aac';
import { buildDops, OPUS_SAMPLE_RATE, opusTrack } from '@vidette/media/codec/opus';
import { MalformedError } from '@vidette/media/malformed';
import { ByteArena, receivedAudioBlocks } from '@vidette/media/rtp/byte-arena';
import { sampleOf } from '@vidette/media/placed-sample';
import { LatmDepacketizer, parseStreamMuxConfig } from '@vidette/media/rtp/latm';
import { auHeaderLayout, Mpeg4GenericDepacketizer, type AudioUnit } from '@vidette/media/rtp/mpeg4-generic';
import type { RtpPacket } from '@vidette/media/rtp/packet';
import type { MediaFormat } from '@vidette/media/sdp/session-description';
import type { AudioTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import type { TrackDeclarer } from '@vidette/media/track-declarer';
import type { ChosenMedia } from './media-choice.ts';
import type { PayloadDepacketizer } from './payload-type-switch.ts';
import type { RtpReceiver } from './rtp-receiver.ts';

/** Audio that is stored without transcoding. */
export interface AudioFormat {
  readonly track: AudioTrack;
  /** How long a frame lasts, ticks of the RTP clock. */
  readonly frameTicks: number;
  /** @param onFrame called within `push` for every frame */
  open(onFrame: (frame: AudioUnit) => void): Pick<PayloadDepacketizer, 'push' | 'malformedPayloads'>;
}

/**
 * The audio track that the session description announces.
 * @throws MalformedError if its parameters are missing or invalid
 */
export function audioFormat({ encoding, format }: ChosenMedia, trackId: number): AudioFormat {
  switch (encoding) {
    case 'mpeg4-generic':
      return aacFormat(format, trackId);
    case 'mp4a-latm':
      return latmFormat(format, trackId);
    case 'opus':
      return opusFormat(format, trackId);
    default:
      throw new MalformedError(`audio in ${encoding}`);
  }
}

function aacFormat({ parameters, clockRate }: MediaFormat, trackId: number): AudioFormat {
  const config = hexBytes(parameters.get('config') ?? '');
  const track = aacTrack(trackId, config);
  const layout = auHeaderLayout(parameters);
  const frameTicks = frameTicksOf(config, clockRate);
  return { track, frameTicks, open: (onFrame) => new Mpeg4GenericDepacketizer(layout, frameTicks, onFrame) };
}

function latmFormat({ parameters, clockRate }: MediaFormat, trackId: number): AudioFormat {
  // In-band configurations (cpresent=1) would require demultiplexing; no camera is known to use them.
  if (parameters.get('cpresent') !== '0')
    throw new MalformedError('MP4A-LATM with its configuration in band');
  const { audioSpecificConfig, frames } = parseStreamMuxConfig(hexBytes(parameters.get('config') ?? ''));
  const track = aacTrack(trackId, audioSpecificConfig);
  const frameTicks = frameTicksOf(audioSpecificConfig, clockRate);
  return { track, frameTicks, open: (onFrame) => new LatmDepacketizer(frames, frameTicks, onFrame) };
}

function opusFormat({ clockRate, parameters }: MediaFormat, trackId: number): AudioFormat {
  // The rtpmap always says two channels; the actual number is signalled separately (RFC 7587, 6.1 and 7).
  const channels = parameters.get('sprop-stereo') === '1' ? 2 : 1;
  if (clockRate !== OPUS_SAMPLE_RATE) throw new MalformedError(`Opus with a clock of ${clockRate} Hz`);
  const track = opusTrack(trackId, buildDops(channels));
  return { track, frameTicks: usualOpusTicks, open: (onFrame) => new OpusDepacketizer(onFrame) };
}

/** Opus has no payload header: a packet is a frame (RFC 7587, 4.2). */
class OpusDepacketizer {
  readonly malformedPayloads = 0;
  readonly #arena = new ByteArena(receivedAudioBlocks);
  readonly #onFrame: (frame: AudioUnit) => void;

  constructor(onFrame: (frame: AudioUnit) => void) {
    this.#onFrame = onFrame;
  }

  push(packet: RtpPacket, lost: number): void {
    if (packet.payloadStart === packet.payloadEnd) return;
    const { timestamp, payloadStart, payloadEnd } = packet;
    const bytes = this.#arena.keep(packet.bytes, payloadStart, payloadEnd);
    this.#onFrame({ timestamp, isDamaged: lost > 0, bytes, size: payloadEnd - payloadStart });
  }
}

/** 20 ms, as nearly all senders use (RFC 7587, 3.1). */
const usualOpusTicks = OPUS_SAMPLE_RATE / 50;

const noFrames: readonly AudioUnit[] = [];

/**
 * AAC and Opus, passed on unchanged. A packet cannot be sent before its last frame has been captured
 * completely, so its start is older than its arrival by its duration: 128 ms for an AAC frame at 8 kHz, and
 * more if a packet contains several.
 */
export class AudioDepacketizer implements PayloadDepacketizer {
  readonly #payloads: Pick<PayloadDepacketizer, 'push' | 'malformedPayloads'>;
  readonly #receiver: RtpReceiver;
  readonly #declarer: TrackDeclarer<Sample>;
  readonly #trackId: number;
  readonly #frameTicks: number;
  /** Of the packet being read: usually one, and a list that grows would have room for 17. */
  #frames: readonly AudioUnit[] = noFrames;

  constructor(format: AudioFormat, receiver: RtpReceiver, declarer: TrackDeclarer<Sample>) {
    this.#receiver = receiver;
    this.#declarer = declarer;
    this.#trackId = format.track.id;
    this.#frameTicks = format.frameTicks;
    this.#payloads = format.open((frame) => {
      this.#frames = this.#frames.length === 0 ? [frame] : [...this.#frames, frame];
    });
    declarer.setTrack(format.track);
  }

  get malformedPayloads(): number {
    return this.#payloads.malformedPayloads;
  }

  push(packet: RtpPacket, lost: number): void {
    this.#payloads.push(packet, lost);
    const frames = this.#frames;
    this.#frames = noFrames;
    frames.forEach((frame, index) => this.#onFrame(frame, (frames.length - index) * this.#frameTicks));
  }

  close(): void {}

  /** @param recordedTicks from the start of the frame to the end of its packet */
  #onFrame({ timestamp, isDamaged, bytes, size }: AudioUnit, recordedTicks: number): void {
    const receiver = this.#receiver;
    const { timing, arrivalMs } = receiver;
    const dts = timing.mapGrowing(receiver.unwrap(timestamp), arrivalMs, recordedTicks);
    const head = { trackId: this.#trackId, dts, pts: dts, isKey: true, isDamaged, size };
    this.#declarer.audio(sampleOf(head, bytes), receiver.arrivalMs);
  }
}

function frameTicksOf(config: Uint8Array, clockRate: number): number {
  const { frameSamples, sampleRate } = parseAacConfig(config);
  return Math.round((frameSamples * clockRate) / sampleRate);
}

function hexBytes(text: string): Uint8Array {
  const digits = text.replaceAll('"', '').trim();
  if (!/^([0-9a-f]{2}){1,256}$/i.test(digits)) throw new MalformedError('the audio configuration is missing');
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
