import type { Cancel, Clock } from '../../../base/clock.ts';
import { AacEncoder, aacFrameSamples } from '../codec/aac-encoder.ts';
import { DemoAudio, demoSampleRate } from './demo-audio.ts';
import { DemoVideo } from './demo-video.ts';
import type { Job, JobOutput } from '../../worker-job.ts';

export interface DemoOptions {
  readonly name: string;
  readonly fps: number;
  readonly gopMs: number;
  /** The server's time when the job was requested; the monotonic clock counts from there. */
  readonly utcMs: number;
}

/** Audio later than this is dropped: the process stalled, and catching up would only make it later. */
const audioLagMaxSamples = demoSampleRate;

/**
 * The generated camera. A frame is due at every multiple of its period since the epoch, has exactly that time
 * and shows it; a frame that could not be rendered in time is dropped, so the clock never runs slow. GOPs begin
 * at multiples of their length, and two cameras with the same name are identical to the pixel.
 */
export class DemoJob implements Job {
  readonly #options: DemoOptions;
  readonly #clock: Clock;
  readonly #output: JobOutput;
  readonly #utcOffsetMs: number;
  readonly #tone: DemoAudio;
  readonly #video: DemoVideo;
  readonly #audio: AacEncoder;
  #cancel: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #frame: number;
  #audioAt: number;

  constructor(options: DemoOptions, clock: Clock, output: JobOutput) {
    this.#options = options;
    this.#clock = clock;
    this.#output = output;
    this.#utcOffsetMs = options.utcMs - clock.monotonicMs();
    this.#tone = new DemoAudio(options.name);
    this.#video = new DemoVideo({ ...options, trackId: 1 });
    this.#audio = new AacEncoder({ trackId: 2, sampleRate: demoSampleRate, channels: 1 });
    this.#frame = this.#dueFrame();
    this.#audioAt = this.#dueAudio();
    output.tracks([this.#video.track, this.#audio.track], 'utc');
    this.#schedule();
  }

  data(): void {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel?.();
    await this.#running;
    this.#video.close();
    this.#audio.close();
  }

  #utcMs(): number {
    return this.#clock.monotonicMs() + this.#utcOffsetMs;
  }

  /** Number since the epoch of the newest due frame. */
  #dueFrame(): number {
    return Math.floor((this.#utcMs() * this.#options.fps) / 1000);
  }

  /** Start of the current audio frame, in samples since the epoch. */
  #dueAudio(): number {
    return Math.floor((this.#utcMs() * demoSampleRate) / 1000 / aacFrameSamples) * aacFrameSamples;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const nextMs = ((this.#frame + 1) * 1000) / this.#options.fps;
    this.#cancel = this.#clock.after(Math.max(0, nextMs - this.#utcMs()), () => {
      this.#running = this.#turn().then(
        () => this.#schedule(),
        (error: unknown) => this.#fail(error),
      );
    });
  }

  async #turn(): Promise<void> {
    const due = this.#dueFrame();
    // The timer may fire a little early.
    if (due <= this.#frame) return;
    this.#frame = due;
    if (this.#output.isFull) return;
    await this.#makeFrame(due);
    this.#makeAudio();
  }

  async #makeFrame(index: number): Promise<void> {
    const coded = await this.#video.frame(index);
    if (coded) this.#emit(1, coded.pts, coded.isKey, coded.bytes);
  }

  #makeAudio(): void {
    const due = this.#dueAudio();
    if (due - this.#audioAt > audioLagMaxSamples) this.#audioAt = due;
    for (; this.#audioAt < due; this.#audioAt += aacFrameSamples) {
      for (const coded of this.#audio.encode(this.#tone.frame(this.#audioAt), this.#audioAt)) {
        this.#emit(2, coded.pts, true, coded.bytes);
      }
    }
  }

  #emit(trackId: number, ticks: number, isKey: boolean, bytes: Uint8Array): void {
    this.#output.sample({ trackId, isKey, isDamaged: false, dts: ticks, pts: ticks, bytes });
  }

  #fail(error: unknown): void {
    this.#output.end({ code: 'ProbeError', message: error instanceof Error ? error.message : String(error) });
  }
}
