import { Codec, CodecContext, Frame, SoftwareScaleContext, type Packet, type Stream } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P, AV_PKT_FLAG_CORRUPT, SWS_AREA, type AVPixelFormat } from 'node-av/constants';
import { H264Encoder } from './h264-encoder.ts';
import type { MediaPath, PacketTimes, PathOutput } from './media-path.ts';
import { checked, NativeError, received, setOptions } from './native.ts';

const timescale = 90000;
const framePeriodTicks = timescale / 25;
const gopTicks = 2 * timescale;
const pixelsMax = 8192 * 8192;

interface Output {
  readonly width: number;
  readonly height: number;
  readonly encoder: H264Encoder;
  readonly frame: Frame;
}

/**
 * Pictures that MP4 or a browser does not take (MJPEG above all) as H.264: of the same size, at most 25 a second,
 * a key picture every two seconds.
 */
export class VideoConversion implements MediaPath {
  readonly #trackId: number;
  readonly #context = new CodecContext();
  readonly #decoded = new Frame();
  readonly #scaler = new SoftwareScaleContext();
  #output: Output | undefined;
  #inputFormat = '';
  /** The next picture is due then, ticks; pictures come up to half a period early. */
  #dueTicks = Number.NEGATIVE_INFINITY;
  #keyTicks = Number.NEGATIVE_INFINITY;
  #lastTicks = Number.NEGATIVE_INFINITY;

  constructor(trackId: number, stream: Stream) {
    this.#trackId = trackId;
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    if (!codec) throw new NativeError(-1, 'no decoder for the pictures');
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
      // Decoders of pictures that are reordered give them out later; the order of what comes out is all that counts.
      const ticks = Math.max(Math.round(times.ptsSeconds * timescale), this.#lastTicks + 1);
      if (this.#isDue(ticks)) output.push(...(await this.#convert(this.#decoded, ticks, isDamaged)));
      this.#decoded.unref();
    }
    return output;
  }

  close(): void {
    this.#closeOutput();
    this.#scaler.freeContext();
    this.#decoded.free();
    this.#context.freeContext();
  }

  #isDue(ticks: number): boolean {
    const isBack = ticks < this.#dueTicks - timescale;
    if (!isBack && ticks < this.#dueTicks - framePeriodTicks / 2) return false;
    const isBehind = ticks - this.#dueTicks > framePeriodTicks;
    this.#dueTicks = (isBack || isBehind ? ticks : this.#dueTicks) + framePeriodTicks;
    return true;
  }

  async #convert(decoded: Frame, ticks: number, isDamaged: boolean): Promise<PathOutput[]> {
    const result: PathOutput[] = [];
    const width = decoded.width & ~1;
    const height = decoded.height & ~1;
    let output = this.#output;
    if (output?.width !== width || output.height !== height) {
      output = this.#openOutput(width, height);
      result.push({ type: 'track', track: output.encoder.track });
    }
    this.#prepareScaler(decoded, width, height);
    checked(output.frame.makeWritable(), 'scaling');
    checked(await this.#scaler.scaleFrame(output.frame, decoded), 'scaling');
    const isKeyWanted = ticks - this.#keyTicks >= gopTicks || ticks < this.#keyTicks;
    const coded = await output.encoder.encode(output.frame, ticks, isKeyWanted);
    if (!coded) return result;
    this.#lastTicks = ticks;
    if (coded.isKey) this.#keyTicks = ticks;
    const { pts, isKey, bytes } = coded;
    const sample = { trackId: this.#trackId, isKey, isDamaged, dts: pts, pts, bytes };
    result.push({ type: 'sample', sample });
    return result;
  }

  #openOutput(width: number, height: number): Output {
    this.#closeOutput();
    const encoder = new H264Encoder({ trackId: this.#trackId, width, height, fps: 25, crf: 26 });
    const frame = new Frame();
    frame.alloc();
    frame.format = AV_PIX_FMT_YUV420P;
    frame.width = width;
    frame.height = height;
    this.#output = { width, height, encoder, frame };
    checked(frame.getBuffer(), 'a picture of that size');
    this.#keyTicks = Number.NEGATIVE_INFINITY;
    this.#inputFormat = '';
    return this.#output;
  }

  #closeOutput(): void {
    this.#output?.encoder.close();
    this.#output?.frame.free();
    this.#output = undefined;
  }

  #prepareScaler(decoded: Frame, width: number, height: number): void {
    const format = `${decoded.width}x${decoded.height}/${decoded.format}`;
    if (format === this.#inputFormat) return;
    this.#scaler.freeContext();
    const pixelFormat = decoded.format as AVPixelFormat;
    this.#scaler.getContext(
      decoded.width,
      decoded.height,
      pixelFormat,
      width,
      height,
      AV_PIX_FMT_YUV420P,
      SWS_AREA,
    );
    this.#inputFormat = format;
  }
}
