import { Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import { AV_CODEC_ID_H264, AV_CODEC_ID_HEVC } from 'node-av/constants';
import { isH264Key } from '@vidette/media/codec/h264';
import { isH265Key } from '@vidette/media/codec/h265';
import { sampleNals } from '@vidette/media/codec/nal';
import type { TranscodeRequest } from '../protocol.ts';
import type { Job, JobOutput } from '../worker-job.ts';
import { checked, NativeError, received, setOptions } from './codec/native.ts';
import { FrameCoder } from './codec/frame-coder.ts';

const timescale = 90000;
const pixelsMax = 8192 * 8192;
/**
 * Frames that may be queued while the camera continues: about two seconds. Beyond that it resumes at a key
 * frame.
 */
const waitingMax = 60;
/** Number of consecutive undecodable frames after which the job fails. */
const failuresMax = 100;

interface QueuedFrame {
  readonly bytes: Uint8Array;
  readonly ptsTicks: number;
}

/**
 * Transcodes video that a browser cannot decode to H.264 that every browser can: coded frames in, coded frames
 * out, with the same times. An empty frame ends the input: the decoder is flushed, then the job ends.
 */
export class TranscodeJob implements Job {
  readonly #request: TranscodeRequest;
  readonly #output: JobOutput;
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  readonly #decoded = new Frame();
  readonly #coder: FrameCoder;
  #waiting: QueuedFrame[] = [];
  #running: Promise<void> | undefined;
  #awaitsKey = false;
  #failures = 0;
  #isClosed = false;

  constructor(request: TranscodeRequest, output: JobOutput) {
    this.#request = request;
    this.#output = output;
    const { fpsMax, heightMax } = request;
    this.#coder = new FrameCoder({ trackId: 1, fpsMax, heightMax, crf: 25 });
    const codec = Codec.findDecoder(request.codec === 'h264' ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC);
    if (!codec) throw new NativeError(-1, 'the decoder is missing');
    this.#context.allocContext3(codec);
    this.#context.threadCount = 1;
    this.#context.extraData = Buffer.from(request.config, 'base64');
    this.#context.pktTimebase = new Rational(1, timescale);
    setOptions(this.#context, { max_pixels: String(pixelsMax) });
    checked(this.#context.open2Sync(codec, null), 'opening the decoder');
    this.#packet.alloc();
    this.#decoded.alloc();
  }

  data(bytes: Uint8Array, ptsTicks: number): void {
    if (this.#isClosed) return;
    if (this.#request.mayLeaveOut && this.#waiting.length >= waitingMax) {
      this.#waiting = [];
      this.#awaitsKey = true;
    }
    if (this.#awaitsKey) {
      if (!this.#isKey(bytes)) return;
      this.#awaitsKey = false;
    }
    this.#waiting.push({ bytes: Uint8Array.from(bytes), ptsTicks });
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    await this.#running;
    this.#coder.close();
    this.#packet.free();
    this.#decoded.free();
    this.#context.freeContext();
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        await this.#convert(next);
        this.#failures = 0;
      } catch (error) {
        // A frame damaged in transit is skipped; a stream that never decodes is not what it was announced as.
        if (++this.#failures < failuresMax && next.bytes.length > 0) continue;
        const words = error instanceof Error ? error.message : String(error);
        this.#output.end({ code: 'ProbeError', message: `The video cannot be transcoded: ${words}` });
        return;
      }
      if (next.bytes.length > 0 || this.#isClosed) continue;
      this.#output.end({ message: 'converted' });
      return;
    }
  }

  async #convert({ bytes, ptsTicks }: QueuedFrame): Promise<void> {
    if (bytes.length === 0) {
      checked(await this.#context.sendPacket(null), 'decoding');
    } else {
      this.#packet.data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#packet.pts = BigInt(ptsTicks);
      const sent = await this.#context.sendPacket(this.#packet);
      this.#packet.unref();
      checked(sent, 'decoding');
    }
    while (!this.#isClosed && received(await this.#context.receiveFrame(this.#decoded), 'decoding')) {
      for (const part of await this.#coder.code(this.#decoded, Number(this.#decoded.pts), false)) {
        if (part.type === 'track') this.#output.tracks([part.track], 'utc');
        else if (part.type === 'sample') this.#output.sample(part.sample);
      }
      this.#decoded.unref();
      if (this.#output.isFull) await this.#output.drained();
    }
  }

  #isKey(bytes: Uint8Array): boolean {
    const nals = sampleNals([bytes]);
    return this.#request.codec === 'h264' ? isH264Key(nals) : isH265Key(nals);
  }
}
