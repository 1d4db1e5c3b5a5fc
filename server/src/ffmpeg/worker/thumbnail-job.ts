import { Codec, CodecContext, Frame, Packet, SoftwareScaleContext } from 'node-av/lib';
import {
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_PIX_FMT_GRAY8,
  SWS_AREA,
  type AVPixelFormat,
} from 'node-av/constants';
import type { FrameRegion, ThumbnailRequest } from '../protocol.ts';
import {
  frameCells,
  frameColumns,
  frameRows,
  regionColumns,
  regionRows,
  thumbnailBytes,
} from '../thumbnail-layout.ts';
import type { Job, JobOutput } from '../worker-job.ts';
import { checked, NativeError, received, setOptions } from './codec/native.ts';

/** Maximum width and height that are decoded; the parameter sets come from outside. */
const pixelsMax = 8192 * 8192;

/**
 * Decodes key frames one after the other with one decoder, and answers each with a thumbnail: `thumbnail-layout.ts`.
 * A frame that can't be decoded gets an empty answer, so that answers keep the order of the questions.
 */
export class ThumbnailJob implements Job {
  readonly #region: FrameRegion;
  readonly #output: JobOutput;
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  readonly #decoded = new Frame();
  #waiting: Uint8Array[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor({ codec: name, config, region }: ThumbnailRequest, output: JobOutput) {
    this.#region = region;
    this.#output = output;
    const codec = Codec.findDecoder(name === 'h264' ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC);
    if (!codec) throw new NativeError(-1, 'the decoder is missing');
    this.#context.allocContext3(codec);
    this.#context.threadCount = 1;
    this.#context.extraData = Buffer.from(config, 'base64');
    // Smooth edges between blocks make no difference to averages of blocks.
    setOptions(this.#context, { max_pixels: String(pixelsMax), skip_loop_filter: 'all' });
    checked(this.#context.open2Sync(codec, null), 'opening the decoder');
    this.#packet.alloc();
    this.#decoded.alloc();
  }

  data(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting.push(Uint8Array.from(bytes));
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    await this.#running;
    this.#packet.free();
    this.#decoded.free();
    this.#context.freeContext();
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#output.thumbnail(await this.#thumbnail(next).catch(() => new Uint8Array()));
    }
  }

  async #thumbnail(sample: Uint8Array): Promise<Uint8Array> {
    const packet = this.#packet;
    packet.data = Buffer.from(sample.buffer, sample.byteOffset, sample.length);
    packet.isKeyframe = true;
    try {
      checked(await this.#context.sendPacket(packet), 'decoding');
      checked(await this.#context.sendPacket(null), 'decoding');
      if (!received(await this.#context.receiveFrame(this.#decoded), 'decoding'))
        throw new Error('the key frame is incomplete');
      return await thumbnailOf(this.#decoded, this.#region);
    } finally {
      packet.unref();
      this.#decoded.unref();
      // Ends the draining above; the next key frame needs no other.
      this.#context.flushBuffers();
    }
  }
}

async function thumbnailOf(full: Frame, region: FrameRegion): Promise<Uint8Array> {
  const thumbnail = new Uint8Array(thumbnailBytes);
  const whole = { left: 0, top: 0, width: 1, height: 1 };
  thumbnail.set(await cells(full, whole, frameColumns, frameRows));
  thumbnail.set(await cells(full, region, regionColumns, regionRows), frameCells);
  return thumbnail;
}

/** The luma of a region, in as many columns and rows. The frame is scaled so that the region has that size. */
async function cells(full: Frame, region: FrameRegion, columns: number, rows: number): Promise<Uint8Array> {
  const width = Math.max(columns, Math.min(full.width, Math.round(columns / region.width)));
  const height = Math.max(rows, Math.min(full.height, Math.round(rows / region.height)));
  using small = new Frame();
  small.alloc();
  small.format = AV_PIX_FMT_GRAY8;
  small.width = width;
  small.height = height;
  checked(small.getBuffer(), 'allocating a thumbnail');
  using scaler = new SoftwareScaleContext();
  const format = full.format as AVPixelFormat;
  scaler.getContext(full.width, full.height, format, width, height, AV_PIX_FMT_GRAY8, SWS_AREA);
  checked(await scaler.scaleFrame(small, full), 'scaling');
  const [plane] = small.data ?? [];
  const [stride = 0] = small.linesize;
  if (!plane) throw new Error('the scaled frame is empty');
  const left = Math.min(Math.round(region.left * width), width - columns);
  const top = Math.min(Math.round(region.top * height), height - rows);
  const found = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const at = (top + row) * stride + left;
    found.set(plane.subarray(at, at + columns), row * columns);
  }
  return found;
}
