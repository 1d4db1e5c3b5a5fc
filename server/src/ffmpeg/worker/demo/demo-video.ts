import { Frame } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import type { VideoTrack } from '@vidette/media/track';
import { H264Encoder } from '../codec/h264-encoder.ts';
import { DemoFrame } from './demo-frame.ts';

export interface DemoVideoOptions {
  readonly trackId: number;
  readonly name: string;
  readonly fps: number;
  readonly gopMs: number;
}

/** The video of a generated camera: frames by number since the epoch, GOPs at multiples of their length. */
export class DemoVideo {
  readonly fps: number;
  readonly #renderer: DemoFrame;
  readonly #encoder: H264Encoder;
  readonly #gopFrames: number;
  #gop = -1;

  constructor({ trackId, name, fps, gopMs }: DemoVideoOptions) {
    this.fps = fps;
    this.#renderer = new DemoFrame(name);
    const { width, height } = this.#renderer.canvas;
    this.#encoder = new H264Encoder({ trackId, width, height, fps, crf: 24 });
    this.#gopFrames = Math.max(1, Math.round((gopMs * fps) / 1000));
  }

  get track(): VideoTrack {
    return this.#encoder.track;
  }

  /** Draws and encodes one frame; undefined if the encoder returned nothing. */
  async frame(index: number): ReturnType<H264Encoder['encode']> {
    const gop = Math.floor(index / this.#gopFrames);
    const { canvas } = this.#renderer;
    this.#renderer.draw(Math.round((index * 1000) / this.fps));
    const frame = Frame.fromVideoBuffer(canvas.pixels, {
      width: canvas.width,
      height: canvas.height,
      format: AV_PIX_FMT_YUV420P,
    });
    try {
      const ticks = Math.round((index * this.track.timescale) / this.fps);
      const coded = await this.#encoder.encode(frame, ticks, gop !== this.#gop);
      this.#gop = gop;
      return coded;
    } finally {
      frame.free();
    }
  }

  close(): void {
    this.#encoder.close();
  }
}
