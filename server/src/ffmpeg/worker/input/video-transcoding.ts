import { Codec, CodecContext, Frame, type Packet, type Stream } from 'node-av/lib';
import { AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import type { MediaPath, PacketTimes, PathOutput } from '../codec/media-path.ts';
import { checked, NativeError, received, setOptions } from '../codec/native.ts';
import { FrameCoder } from '../codec/frame-coder.ts';

const timescale = 90000;
const pixelsMax = 8192 * 8192;

/**
 * Transcodes video that MP4 or browsers do not support (mostly MJPEG) to H.264: same resolution, at most 25
 * frames per second, a key frame every two seconds.
 */
export class VideoTranscoding implements MediaPath {
  readonly #context = new CodecContext();
  readonly #decoded = new Frame();
  readonly #coder: FrameCoder;

  constructor(trackId: number, stream: Stream) {
    this.#coder = new FrameCoder({ trackId, fpsMax: 25, heightMax: 8192, crf: 26 });
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    if (!codec) throw new NativeError(-1, 'no decoder for the video');
    this.#context.allocContext3(codec);
    checked(this.#context.parametersToContext(stream.codecpar), 'opening the decoder');
    this.#context.threadCount = 1;
    this.#context.pktTimebase = stream.timeBase;
    setOptions(this.#context, { max_pixels: String(pixelsMax) });
    checked(this.#context.open2Sync(codec, null), 'opening the decoder');
    this.#decoded.alloc();
  }

  async push(packet: Packet, times: PacketTimes): Promise<PathOutput[]> {
    const isDamaged = packet.hasFlags(AV_PKT_FLAG_CORRUPT);
    checked(await this.#context.sendPacket(packet), 'decoding');
    const output: PathOutput[] = [];
    while (received(await this.#context.receiveFrame(this.#decoded), 'decoding')) {
      // Decoders emit reordered frames later; only the output order matters.
      const ticks = Math.round(times.ptsSeconds * timescale);
      output.push(...(await this.#coder.code(this.#decoded, ticks, isDamaged)));
      this.#decoded.unref();
    }
    return output;
  }

  close(): void {
    this.#coder.close();
    this.#decoded.free();
    this.#context.freeContext();
  }
}
