import { avChannelLayoutDefault, Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import {
  AV_CODEC_ID_ADPCM_G722,
  AV_CODEC_ID_ADPCM_G726,
  AV_CODEC_ID_ADPCM_G726LE,
  AV_CODEC_ID_MP2,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_PCM_ALAW,
  AV_CODEC_ID_PCM_MULAW,
  AV_CODEC_ID_PCM_S16BE,
  AV_CODEC_ID_PCM_S24BE,
  AV_CODEC_ID_PCM_U8,
  AV_SAMPLE_FMT_S16,
  type AVCodecID,
} from 'node-av/constants';
import type { AudioRequest, SourceAudioCodec } from '../protocol.ts';
import type { Job, JobOutput } from '../worker-job.ts';
import { checked, NativeError, received } from './codec/native.ts';
import { AudioResampler } from './codec/audio-resampler.ts';

const codecIds: Readonly<Record<SourceAudioCodec, AVCodecID>> = {
  pcmu: AV_CODEC_ID_PCM_MULAW,
  pcma: AV_CODEC_ID_PCM_ALAW,
  g722: AV_CODEC_ID_ADPCM_G722,
  // RTP fills octets from the least significant bit, ATM (AAL2) from the most significant one (RFC 3551, 4.5.4).
  'g726-16': AV_CODEC_ID_ADPCM_G726LE,
  'g726-24': AV_CODEC_ID_ADPCM_G726LE,
  'g726-32': AV_CODEC_ID_ADPCM_G726LE,
  'g726-40': AV_CODEC_ID_ADPCM_G726LE,
  'aal2-g726-16': AV_CODEC_ID_ADPCM_G726,
  'aal2-g726-24': AV_CODEC_ID_ADPCM_G726,
  'aal2-g726-32': AV_CODEC_ID_ADPCM_G726,
  'aal2-g726-40': AV_CODEC_ID_ADPCM_G726,
  l8: AV_CODEC_ID_PCM_U8,
  l16: AV_CODEC_ID_PCM_S16BE,
  l24: AV_CODEC_ID_PCM_S24BE,
  // FFmpeg's layer III decoder also reads the other layers.
  mpa: AV_CODEC_ID_MP3,
  mp2: AV_CODEC_ID_MP2,
};
/** Number of consecutive undecodable packets after which transcoding of the audio fails. */
const failuresMax = 250;

/** Transcodes the audio of an RTSP camera to AAC: packets in, AAC frames out. */
export class AudioJob implements Job {
  readonly #output: JobOutput;
  readonly #clockRate: number;
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  readonly #frame = new Frame();
  #converter: AudioResampler | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(request: AudioRequest, output: JobOutput) {
    this.#output = output;
    this.#clockRate = request.clockRate;
    const codec = Codec.findDecoder(codecIds[request.codec]);
    if (!codec) throw new NativeError(-1, `the decoder of ${request.codec} is missing`);
    const context = this.#context;
    context.allocContext3(codec);
    context.sampleRate = request.sampleRate;
    context.channelLayout = avChannelLayoutDefault(request.channels);
    context.sampleFormat = AV_SAMPLE_FMT_S16;
    const bits = /g726-(\d+)/.exec(request.codec)?.[1];
    if (bits !== undefined) context.bitsPerCodedSample = Number(bits) / 8;
    context.pktTimebase = new Rational(1, request.clockRate);
    checked(context.open2Sync(codec, null), 'opening the decoder');
    this.#packet.alloc();
    this.#frame.alloc();
  }

  data(bytes: Uint8Array, ptsTicks: number): void {
    if (this.#isClosed) return;
    try {
      this.#convert(bytes, ptsTicks);
      this.#failures = 0;
    } catch (error) {
      // One packet damaged in transit is a click; a stream that never decodes is not what it was announced as.
      if (++this.#failures < failuresMax) return;
      const words = error instanceof Error ? error.message : String(error);
      this.#output.end({ code: 'ProbeError', message: `The audio cannot be transcoded: ${words}` });
    }
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#converter?.close();
      this.#packet.free();
      this.#frame.free();
      this.#context.freeContext();
    }
    return Promise.resolve();
  }

  #convert(bytes: Uint8Array, ptsTicks: number): void {
    this.#packet.data = Buffer.from(bytes);
    const sent = this.#context.sendPacketSync(this.#packet);
    this.#packet.unref();
    checked(sent, 'decoding');
    let seconds = ptsTicks / this.#clockRate;
    while (received(this.#context.receiveFrameSync(this.#frame), 'decoding')) {
      const frame = this.#frame;
      if (!this.#converter) {
        this.#converter = new AudioResampler(1, frame);
        this.#output.tracks([this.#converter.encoder.track], 'utc');
      }
      for (const coded of this.#converter.push(frame, seconds)) {
        const { pts, bytes: aac } = coded;
        this.#output.sample({ trackId: 1, isKey: true, isDamaged: false, dts: pts, pts, bytes: aac });
      }
      seconds += frame.nbSamples / frame.sampleRate;
      frame.unref();
    }
  }
}
