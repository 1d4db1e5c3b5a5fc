import { avChannelLayoutDefault, Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import {
  AV_CODEC_ID_MP2,
  AV_CODEC_ID_PCM_ALAW,
  AV_CODEC_ID_PCM_MULAW,
  AV_SAMPLE_FMT_S16,
  type AVCodecID,
} from 'node-av/constants';
import type { AudioRequest, SourceAudioCodec } from '../protocol.ts';
import type { Job, JobOutput } from './job.ts';
import { checked, NativeError, received } from './native.ts';
import { SoundConverter } from './sound-converter.ts';

const codecIds: Readonly<Record<SourceAudioCodec, AVCodecID>> = {
  pcmu: AV_CODEC_ID_PCM_MULAW,
  pcma: AV_CODEC_ID_PCM_ALAW,
  mp2: AV_CODEC_ID_MP2,
};
/** Packets that can't be decoded in a row before the sound is given up. */
const failuresMax = 250;

/** Turns the coded sound of a camera that speaks RTSP to us into AAC: packets in, AAC frames out. */
export class AudioJob implements Job {
  readonly #output: JobOutput;
  readonly #sampleRate: number;
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  readonly #frame = new Frame();
  #converter: SoundConverter | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(request: AudioRequest, output: JobOutput) {
    this.#output = output;
    this.#sampleRate = request.sampleRate;
    const codec = Codec.findDecoder(codecIds[request.codec]);
    if (!codec) throw new NativeError(-1, `the decoder of ${request.codec} is missing`);
    const context = this.#context;
    context.allocContext3(codec);
    context.sampleRate = request.sampleRate;
    context.channelLayout = avChannelLayoutDefault(request.channels);
    context.sampleFormat = AV_SAMPLE_FMT_S16;
    context.pktTimebase = new Rational(1, request.sampleRate);
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
      // One packet that was damaged on its way is a click; a stream that never decodes is not what it says it is.
      if (++this.#failures < failuresMax) return;
      const words = error instanceof Error ? error.message : String(error);
      this.#output.end({ code: 'ProbeError', message: `The sound can't be converted: ${words}` });
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
    let seconds = ptsTicks / this.#sampleRate;
    while (received(this.#context.receiveFrameSync(this.#frame), 'decoding')) {
      const frame = this.#frame;
      if (!this.#converter) {
        this.#converter = new SoundConverter(1, frame);
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
