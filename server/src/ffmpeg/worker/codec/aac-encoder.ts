import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  CodecParameters,
  Frame,
  Packet,
  Rational,
} from 'node-av/lib';
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_CODEC_ID_AAC, AV_SAMPLE_FMT_FLTP } from 'node-av/constants';
import type { AudioTrack } from '@vidette/media/track';
import { checked, NativeError, received, setOptions } from './native.ts';

/** Samples of one channel in an AAC-LC frame (ISO/IEC 14496-3, 4.5.1.1). */
export const aacFrameSamples = 1024;

export interface CodedAudio {
  /**
   * Ticks of 1/sampleRate s; including the encoder's look-ahead of one frame, so that it plays in sync with the
   * video.
   */
  readonly pts: number;
  readonly bytes: Uint8Array;
}

/** AAC-LC from frames of 1024 samples, planar 32-bit float between -1 and 1. */
export class AacEncoder {
  readonly track: AudioTrack;
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  #isClosed = false;

  constructor(options: { trackId: number; sampleRate: number; channels: number }) {
    const { sampleRate, channels } = options;
    const codec = Codec.findEncoder(AV_CODEC_ID_AAC);
    if (!codec) throw new NativeError(-1, 'the AAC encoder is missing');
    const context = this.#context;
    context.allocContext3(codec);
    context.sampleRate = sampleRate;
    context.channelLayout = avChannelLayoutDefault(channels);
    context.sampleFormat = AV_SAMPLE_FMT_FLTP;
    context.timeBase = new Rational(1, sampleRate);
    context.bitRate = BigInt(channels * (sampleRate > 24000 ? 48000 : 24000));
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    setOptions(context, { aac_coder: 'fast' });
    checked(context.open2Sync(codec, null), 'opening the AAC encoder');
    const parameters = new CodecParameters();
    parameters.alloc();
    parameters.fromContext(context);
    const codecString = parameters.getCodecString() ?? 'mp4a.40.2';
    parameters.free();
    this.track = {
      id: options.trackId,
      kind: 'audio',
      codec: 'aac',
      timescale: sampleRate,
      codecString,
      sampleRate,
      channels,
      config: Uint8Array.from(context.extraData ?? []),
    };
    this.#packet.alloc();
  }

  /** `planes` contains 1024 samples of each channel, one channel after the other. */
  encode(planes: Buffer, ptsTicks: number): CodedAudio[] {
    const frame = Frame.fromAudioBuffer(planes, {
      nbSamples: aacFrameSamples,
      format: AV_SAMPLE_FMT_FLTP,
      sampleRate: this.track.sampleRate,
      channelLayout: this.#context.channelLayout,
      pts: BigInt(ptsTicks),
    });
    const sent = this.#context.sendFrameSync(frame);
    frame.free();
    checked(sent, 'encoding audio');
    const coded: CodedAudio[] = [];
    while (received(this.#context.receivePacketSync(this.#packet), 'encoding audio')) {
      coded.push({ pts: Number(this.#packet.pts), bytes: Uint8Array.from(this.#packet.data ?? []) });
      this.#packet.unref();
    }
    return coded;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#packet.free();
    this.#context.freeContext();
  }
}
