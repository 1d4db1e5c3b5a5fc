import { Codec, CodecContext, Frame, Packet, Rational, SoftwareScaleContext } from 'node-av/lib';
import {
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_MJPEG,
  AV_PIX_FMT_YUVJ420P,
  SWS_AREA,
  type AVPixelFormat,
} from 'node-av/constants';
import type { SnapshotRequest } from '../protocol.ts';
import type { Job, JobOutput } from '../worker-job.ts';
import { checked, NativeError, received, setOptions } from './codec/native.ts';

/** Maximum width and height that are decoded; the parameter sets come from outside. */
const pixelsMax = 8192 * 8192;
/** FF_QP2LAMBDA: FFmpeg's quality units per quantiser step. */
const lambdaPerStep = 118;

/** Renders a JPEG of one key frame, which `data` delivers; the result is sent as `picture` or `end`. */
export class SnapshotJob implements Job {
  readonly #request: SnapshotRequest;
  readonly #output: JobOutput;
  #running: Promise<void> | undefined;

  constructor(request: SnapshotRequest, output: JobOutput) {
    this.#request = request;
    this.#output = output;
  }

  data(bytes: Uint8Array): void {
    this.#running ??= this.#make(bytes).then(
      (jpeg) => {
        this.#output.snapshot(jpeg);
        this.#output.end({ message: 'made' });
      },
      (error: unknown) =>
        this.#output.end({
          code: 'ProbeError',
          message: `No snapshot could be made: ${error instanceof Error ? error.message : String(error)}`,
        }),
    );
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #make(sample: Uint8Array): Promise<Uint8Array> {
    using full = await this.#decode(sample);
    const width = Math.max(2, 2 * Math.round(Math.min(full.width, this.#request.maxWidth) / 2));
    const height = Math.max(2, 2 * Math.round((full.height * width) / full.width / 2));
    using small = newFrame(width, height);
    using scaler = new SoftwareScaleContext();
    scaler.getContext(
      full.width,
      full.height,
      full.format as AVPixelFormat,
      width,
      height,
      AV_PIX_FMT_YUVJ420P,
      SWS_AREA,
    );
    checked(await scaler.scaleFrame(small, full), 'scaling');
    // Awaited here, because `using` frees the frames when the function returns.
    return await encodeJpeg(small, this.#request.quality);
  }

  async #decode(sample: Uint8Array): Promise<Frame> {
    const id = this.#request.codec === 'h264' ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC;
    const codec = Codec.findDecoder(id);
    if (!codec) throw new NativeError(-1, 'the decoder is missing');
    using context = new CodecContext();
    context.allocContext3(codec);
    context.threadCount = 1;
    context.extraData = Buffer.from(this.#request.config, 'base64');
    setOptions(context, { max_pixels: String(pixelsMax) });
    checked(context.open2Sync(codec, null), 'opening the decoder');
    using packet = new Packet();
    packet.alloc();
    packet.data = Buffer.from(sample.buffer, sample.byteOffset, sample.length);
    packet.isKeyframe = true;
    checked(await context.sendPacket(packet), 'decoding');
    checked(await context.sendPacket(null), 'decoding');
    const frame = new Frame();
    frame.alloc();
    if (received(await context.receiveFrame(frame), 'decoding')) return frame;
    frame.free();
    throw new Error('the key frame is incomplete');
  }
}

function newFrame(width: number, height: number): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = AV_PIX_FMT_YUVJ420P;
  frame.width = width;
  frame.height = height;
  checked(frame.getBuffer(), 'allocating a frame of that size');
  return frame;
}

/** `quality` from 1 to 100 is mapped to the encoder's quantiser from 31 to 2. */
async function encodeJpeg(frame: Frame, quality: number): Promise<Uint8Array> {
  const codec = Codec.findEncoder(AV_CODEC_ID_MJPEG);
  if (!codec) throw new NativeError(-1, 'the JPEG encoder is missing');
  const quantiser = Math.round(31 - (29 * (Math.min(100, Math.max(1, quality)) - 1)) / 99);
  using context = new CodecContext();
  context.allocContext3(codec);
  context.width = frame.width;
  context.height = frame.height;
  context.pixelFormat = AV_PIX_FMT_YUVJ420P;
  context.timeBase = new Rational(1, 25);
  context.threadCount = 1;
  context.setFlags(AV_CODEC_FLAG_QSCALE);
  context.globalQuality = quantiser * lambdaPerStep;
  checked(context.open2Sync(codec, null), 'opening the JPEG encoder');
  frame.quality = quantiser * lambdaPerStep;
  frame.pts = 0n;
  checked(await context.sendFrame(frame), 'encoding the JPEG');
  using packet = new Packet();
  packet.alloc();
  if (!received(context.receivePacketSync(packet), 'encoding the JPEG'))
    throw new Error('the encoded JPEG is empty');
  return Uint8Array.from(packet.data ?? []);
}
