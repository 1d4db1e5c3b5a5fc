import { Codec, CodecContext, Frame, type Packet, type Stream } from 'node-av/lib';
import { AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import type { MediaPath, PacketTimes, PathOutput } from '../codec/media-path.ts';
import { checked, NativeError, received } from '../codec/native.ts';
import { AudioResampler } from '../codec/audio-resampler.ts';

/** Transcodes audio that MP4 or a browser does not support to AAC-LC. */
export class AudioTranscoding implements MediaPath {
  readonly #trackId: number;
  readonly #context = new CodecContext();
  readonly #frame = new Frame();
  #converter: AudioResampler | undefined;

  constructor(trackId: number, stream: Stream) {
    this.#trackId = trackId;
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    if (!codec) throw new NativeError(-1, 'no decoder for the audio');
    this.#context.allocContext3(codec);
    checked(this.#context.parametersToContext(stream.codecpar), 'opening the audio decoder');
    this.#context.threadCount = 1;
    checked(this.#context.open2Sync(codec, null), 'opening the audio decoder');
    this.#frame.alloc();
  }

  async push(packet: Packet, times: PacketTimes): Promise<PathOutput[]> {
    const output: PathOutput[] = [];
    const isDamaged = packet.hasFlags(AV_PKT_FLAG_CORRUPT);
    checked(await this.#context.sendPacket(packet), 'decoding audio');
    let seconds = times.ptsSeconds;
    while (received(this.#context.receiveFrameSync(this.#frame), 'decoding audio')) {
      const frame = this.#frame;
      if (!this.#converter) {
        this.#converter = new AudioResampler(this.#trackId, frame);
        output.push({ type: 'track', track: this.#converter.encoder.track });
      }
      for (const { pts, bytes } of this.#converter.push(frame, seconds)) {
        const sample = { trackId: this.#trackId, isKey: true, isDamaged, dts: pts, pts, bytes };
        output.push({ type: 'sample', sample });
      }
      seconds += frame.nbSamples / frame.sampleRate;
      frame.unref();
    }
    return output;
  }

  close(): void {
    this.#converter?.close();
    this.#frame.free();
    this.#context.freeContext();
  }
}
