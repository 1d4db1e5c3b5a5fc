import { Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import { AV_CODEC_ID_H264, AV_CODEC_ID_HEVC } from 'node-av/constants';
import { digestLayout, digestTimescale } from '../../digest-layout.ts';
import type { DigestRequest } from '../../protocol.ts';
import type { Job, JobOutput } from '../../worker-job.ts';
import { H264Encoder } from '../codec/h264-encoder.ts';
import { checked, NativeError, received, setOptions } from '../codec/native.ts';
import { DigestPicture } from './digest-picture.ts';

const { width, videoHeight, stripHeight, framesPerSecond } = digestLayout;
const frameTicks = digestTimescale / framesPerSecond;
const gopTicks = 2 * digestTimescale;
const pixelsMax = 8192 * 8192;
/** A pause in the footage takes no longer in the digest than this of the footage. */
const pauseTicksMax = digestTimescale;

/** Renders one part of a digest; see `DigestRequest`. An empty frame ends the input: the decoder is flushed, then the job ends. */
export class DigestJob implements Job {
  readonly #request: DigestRequest;
  readonly #output: JobOutput;
  readonly #decoder: FrameDecoder | undefined;
  readonly #picture = new DigestPicture();
  readonly #encoder: H264Encoder;
  readonly #clock: Intl.DateTimeFormat;
  #waiting: { readonly bytes: Uint8Array; readonly ptsTicks: number }[] = [];
  #running: Promise<void> | undefined;
  /** Where the next frame is, ticks from the beginning of the part, and when that frame was recorded. */
  #at = { outTicks: 0, utcTicks: Number.NaN };
  #coded = { lastTicks: Number.NEGATIVE_INFINITY, keyTicks: Number.NEGATIVE_INFINITY };
  #isClosed = false;

  constructor(request: DigestRequest, output: JobOutput) {
    this.#request = request;
    this.#output = output;
    const { language, timeZone, video } = request;
    this.#clock = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      dateStyle: 'medium',
      timeStyle: 'long',
      timeZone,
    });
    this.#encoder = new H264Encoder({
      trackId: 1,
      width,
      height: videoHeight + stripHeight,
      fps: framesPerSecond,
      crf: 25,
    });
    this.#decoder = video && new FrameDecoder(video);
    output.tracks([this.#encoder.track], 'source');
    if (!video) this.#begin(() => this.#still());
  }

  data(bytes: Uint8Array, ptsTicks: number): void {
    if (this.#isClosed || !this.#decoder) return;
    this.#waiting.push({ bytes: Uint8Array.from(bytes), ptsTicks });
    this.#begin(() => this.#render());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    await this.#running;
    this.#decoder?.close();
    this.#picture.close();
    this.#encoder.close();
  }

  #begin(work: () => Promise<void>): void {
    this.#running ??= work()
      .catch((error: unknown) => {
        const words = error instanceof Error ? error.message : String(error);
        this.#output.end({ code: 'ProbeError', message: `The digest cannot be rendered: ${words}` });
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Words for a while. */
  async #still(): Promise<void> {
    const { words, name, fromMs, stillMs } = this.#request;
    this.#picture.showWords(words);
    this.#picture.label(name, this.#clock.format(fromMs));
    for (let ticks = 0; ticks < (stillMs * digestTimescale) / 1000 && !this.#isClosed; ticks += frameTicks) {
      await this.#encode(ticks);
    }
    this.#output.end({ message: 'rendered' });
  }

  async #render(): Promise<void> {
    const decoder = this.#decoder;
    for (let next = this.#waiting.shift(); next && decoder; next = this.#waiting.shift()) {
      // Damaged footage loses frames; what remains is shown.
      const isSent = await decoder.send(next.bytes, next.ptsTicks);
      while (isSent && !this.#isClosed && (await decoder.receive())) await this.#show(decoder.frame);
      if (this.#isClosed) return;
      if (next.bytes.length === 0) this.#output.end({ message: 'rendered' });
      else this.#output.taken();
    }
  }

  /** Encodes a decoded frame unless it is outside of the clip, or too soon after the one before. */
  async #show(decoded: Frame): Promise<void> {
    const { fromMs, toMs, speed, name } = this.#request;
    const utcTicks = Number(decoded.pts);
    const utcMs = (utcTicks * 1000) / digestTimescale;
    if (utcMs < fromMs || utcMs >= toMs) return;
    const passed = Number.isNaN(this.#at.utcTicks) ? 0 : Math.max(0, utcTicks - this.#at.utcTicks);
    const outTicks = this.#at.outTicks + Math.min(passed, pauseTicksMax) / speed;
    this.#at = { outTicks, utcTicks };
    if (outTicks < this.#coded.lastTicks + frameTicks * 0.75) return;
    await this.#picture.showVideo(decoded);
    this.#picture.label(name, this.#clock.format(utcMs));
    await this.#encode(Math.round(outTicks));
  }

  async #encode(ticks: number): Promise<void> {
    const isKeyWanted = ticks - this.#coded.keyTicks >= gopTicks;
    const coded = await this.#encoder.encode(this.#picture.frame, ticks, isKeyWanted);
    if (!coded) throw new NativeError(-1, 'the encoder returned no frame');
    this.#coded = { lastTicks: ticks, keyTicks: coded.isKey ? ticks : this.#coded.keyTicks };
    const { pts, isKey, bytes } = coded;
    this.#output.sample({ trackId: 1, isKey, isDamaged: false, dts: pts, pts, bytes });
    if (this.#output.isFull) await this.#output.drained();
  }
}

/** A decoder whose errors cost frames. */
class FrameDecoder {
  readonly frame = new Frame();
  readonly #context = new CodecContext();
  readonly #packet = new Packet();

  constructor({ codec: name, config }: NonNullable<DigestRequest['video']>) {
    const codec = Codec.findDecoder(name === 'h264' ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC);
    if (!codec) throw new NativeError(-1, 'the decoder is missing');
    this.#context.allocContext3(codec);
    this.#context.threadCount = 1;
    this.#context.extraData = Buffer.from(config, 'base64');
    this.#context.pktTimebase = new Rational(1, digestTimescale);
    setOptions(this.#context, { max_pixels: String(pixelsMax) });
    checked(this.#context.open2Sync(codec, null), 'opening the decoder');
    this.#packet.alloc();
    this.frame.alloc();
  }

  /** An empty frame is the end. @returns false if it can't be decoded */
  async send(bytes: Uint8Array, ptsTicks: number): Promise<boolean> {
    if (bytes.length === 0) return (await this.#context.sendPacket(null)) >= 0;
    this.#packet.data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#packet.pts = BigInt(Math.round(ptsTicks));
    const sent = await this.#context.sendPacket(this.#packet);
    this.#packet.unref();
    return sent >= 0;
  }

  /** Whether `frame` is a new one. */
  async receive(): Promise<boolean> {
    this.frame.unref();
    try {
      return received(await this.#context.receiveFrame(this.frame), 'decoding');
    } catch (error) {
      if (error instanceof NativeError) return false;
      throw error;
    }
  }

  close(): void {
    this.#packet.free();
    this.frame.free();
    this.#context.freeContext();
  }
}
