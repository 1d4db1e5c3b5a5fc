import { Frame, SoftwareScaleContext } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P, SWS_BILINEAR, type AVPixelFormat } from 'node-av/constants';
import { digestLayout } from '../../digest-layout.ts';
import { checked } from '../codec/native.ts';
import { blackPlanes, DrawnText } from './drawn-text.ts';

const { width, videoHeight, stripHeight } = digestLayout;
const height = videoHeight + stripHeight;
/** At 26 pixels, beside the time. */
const nameLetters = 40;
const segmenter = new Intl.Segmenter();

/** Composes the pictures of a digest: video or words, and the strip below. */
export class DigestPicture {
  /** The composed picture, planar 4:2:0. */
  readonly frame = new Frame();
  readonly #scaled = new Frame();
  readonly #scaler = new SoftwareScaleContext();
  readonly #strip = new DrawnText(width, stripHeight, [
    { size: 26, x: '20' },
    { size: 26, x: 'w-text_w-20' },
  ]);
  #words: DrawnText | undefined;
  /** Size and format of the video that the scaler expects. */
  #input = '';

  constructor() {
    this.#scaled.alloc();
    this.frame.alloc();
    this.frame.format = AV_PIX_FMT_YUV420P;
    this.frame.width = width;
    this.frame.height = height;
    checked(this.frame.getBuffer(), 'allocating a frame');
    this.#black();
  }

  /** A frame of any size and format, with its own aspect ratio. */
  async showVideo(decoded: Frame): Promise<void> {
    this.#prepare(decoded);
    checked(this.#scaled.makeWritable(), 'scaling');
    checked(await this.#scaler.scaleFrame(this.#scaled, decoded), 'scaling');
    checked(this.frame.makeWritable(), 'drawing a frame');
    const left = even((width - this.#scaled.width) / 2);
    const top = even((videoHeight - this.#scaled.height) / 2);
    copyInto(this.frame, this.#scaled, left, top);
  }

  /** Words in place of the video. */
  showWords(words: string): void {
    this.#words ??= new DrawnText(width, videoHeight, [{ size: 40, x: '(w-text_w)/2' }]);
    const drawn = this.#words.draw([words]);
    checked(this.frame.makeWritable(), 'drawing a frame');
    copyInto(this.frame, drawn, 0, 0);
  }

  label(name: string, time: string): void {
    const drawn = this.#strip.draw([shortened(name), time]);
    checked(this.frame.makeWritable(), 'drawing a frame');
    copyInto(this.frame, drawn, 0, videoHeight);
  }

  close(): void {
    this.#strip.close();
    this.#words?.close();
    this.#scaler.freeContext();
    this.#scaled.free();
    this.frame.free();
  }

  #prepare(decoded: Frame): void {
    const { num, den } = decoded.sampleAspectRatio;
    const format = decoded.format as AVPixelFormat;
    const input = `${decoded.width}x${decoded.height}/${format}/${num}:${den}`;
    if (input === this.#input) return;
    this.#input = '';
    const size = fitted(decoded.width * (num > 0 && den > 0 ? num / den : 1), decoded.height);
    this.#scaled.unref();
    this.#scaled.format = AV_PIX_FMT_YUV420P;
    this.#scaled.width = size.width;
    this.#scaled.height = size.height;
    checked(this.#scaled.getBuffer(), 'allocating a frame');
    this.#scaler.freeContext();
    this.#scaler.getContext(
      decoded.width,
      decoded.height,
      format,
      size.width,
      size.height,
      AV_PIX_FMT_YUV420P,
      SWS_BILINEAR,
    );
    this.#input = input;
    this.#black();
  }

  #black(): void {
    checked(this.frame.makeWritable(), 'drawing a frame');
    for (const [place, value] of blackPlanes.entries()) this.frame.data?.[place]?.fill(value);
  }
}

/** The largest even size with an aspect ratio that the video's part of the picture has room for. */
function fitted(inputWidth: number, inputHeight: number): { width: number; height: number } {
  const share = Math.min(width / inputWidth, videoHeight / inputHeight);
  return {
    width: Math.min(width, Math.max(2, even(inputWidth * share))),
    height: Math.min(videoHeight, Math.max(2, even(inputHeight * share))),
  };
}

/** A long name would reach into the time. */
function shortened(name: string): string {
  const letters = Array.from(segmenter.segment(name), ({ segment }) => segment);
  return letters.length <= nameLetters ? name : `${letters.slice(0, nameLetters - 1).join('')}…`;
}

/** 4:2:0 has one colour for two pixels in each direction. */
function even(value: number): number {
  return 2 * Math.round(value / 2);
}

/** Copies a frame into a larger one; both are planar 4:2:0. */
function copyInto(target: Frame, source: Frame, left: number, top: number): void {
  for (const plane of [0, 1, 2]) {
    const [to, from] = [target.data?.[plane], source.data?.[plane]];
    const [toStride = 0, fromStride = 0] = [target.linesize[plane], source.linesize[plane]];
    if (!to || !from) throw new Error('A frame has no memory.');
    const share = plane === 0 ? 1 : 2;
    const [columns, rows] = [source.width / share, source.height / share];
    for (let row = 0; row < rows; row++) {
      const at = row * fromStride;
      to.set(from.subarray(at, at + columns), (top / share + row) * toStride + left / share);
    }
  }
}
