import { Frame, SoftwareScaleContext } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P, SWS_AREA, type AVPixelFormat } from 'node-av/constants';
import { H264Encoder } from './h264-encoder.ts';
import type { PathOutput } from './media-path.ts';
import { checked } from './native.ts';

const timescale = 90000;
const gopTicks = 2 * timescale;

export interface FrameCoderOptions {
  readonly trackId: number;
  /** Frames above this rate are dropped. */
  readonly fpsMax: number;
  /** Taller frames are scaled down; none is enlarged. */
  readonly heightMax: number;
  readonly crf: number;
}

interface Output {
  readonly width: number;
  readonly height: number;
  readonly encoder: H264Encoder;
  readonly frame: Frame;
}

/** Encodes decoded frames of any kind as H.264: limited in rate and height, a key frame every two seconds. */
export class FrameCoder {
  readonly #options: FrameCoderOptions;
  readonly #periodTicks: number;
  readonly #scaler = new SoftwareScaleContext();
  #output: Output | undefined;
  #inputFormat = '';
  /** When the next frame is due, ticks; frames may be up to half a period early. */
  #dueTicks = Number.NEGATIVE_INFINITY;
  #keyTicks = Number.NEGATIVE_INFINITY;
  #lastTicks = Number.NEGATIVE_INFINITY;

  constructor(options: FrameCoderOptions) {
    this.#options = options;
    this.#periodTicks = timescale / options.fpsMax;
  }

  /**
   * Encodes one frame, which the caller still owns; no output if it exceeds the frame rate. Times always
   * increase.
   */
  async code(decoded: Frame, wantedTicks: number, isDamaged: boolean): Promise<PathOutput[]> {
    const ticks = Math.max(wantedTicks, this.#lastTicks + 1);
    if (!this.#isDue(ticks)) return [];
    const result: PathOutput[] = [];
    const { width, height } = this.#sizeOf(decoded);
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
    const sample = { trackId: this.#options.trackId, isKey, isDamaged, dts: pts, pts, bytes };
    result.push({ type: 'sample', sample });
    return result;
  }

  close(): void {
    this.#closeOutput();
    this.#scaler.freeContext();
  }

  #isDue(ticks: number): boolean {
    const isBack = ticks < this.#dueTicks - timescale;
    if (!isBack && ticks < this.#dueTicks - this.#periodTicks / 2) return false;
    const isBehind = ticks - this.#dueTicks > this.#periodTicks;
    this.#dueTicks = (isBack || isBehind ? ticks : this.#dueTicks) + this.#periodTicks;
    return true;
  }

  /** 4:2:0 only has even dimensions. */
  #sizeOf(decoded: Frame): { width: number; height: number } {
    const share = Math.min(1, this.#options.heightMax / decoded.height);
    return {
      width: Math.max(2, Math.round(decoded.width * share) & ~1),
      height: Math.max(2, Math.round(decoded.height * share) & ~1),
    };
  }

  #openOutput(width: number, height: number): Output {
    this.#closeOutput();
    const { trackId, fpsMax, crf } = this.#options;
    const encoder = new H264Encoder({ trackId, width, height, fps: fpsMax, crf });
    const frame = new Frame();
    frame.alloc();
    frame.format = AV_PIX_FMT_YUV420P;
    frame.width = width;
    frame.height = height;
    this.#output = { width, height, encoder, frame };
    checked(frame.getBuffer(), 'allocating a frame of that size');
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
