import type { Continuation, HandOverPoint, Recorder, RecorderStopCause } from '../archive/record/record.ts';
import type { Stream } from '../hub/stream.ts';
import { MotionReader } from '../motion/motion-reader.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ManagedStreamTools } from './station-tools.ts';
import { Standby } from './standby.ts';

export interface StreamReadersOptions {
  readonly uid: string;
  readonly stream: Stream;
  readonly tools: Pick<ManagedStreamTools, 'load' | 'recorders' | 'permits' | 'onMotion' | 'clock'>;
  /** Active by default. */
  readonly role?: ReadersRole;
}

/** Standby: what is received is recorded in another process still. Handed over: it is recorded there from now on. */
export type ReadersRole = 'active' | 'standby' | 'handed-over';

/** The readers of a stream's hub on the node that runs the stream: its recorder and its motion reader. */
export class StreamReaders {
  #role: ReadersRole;
  readonly #options: StreamReadersOptions;
  #recorder: Recorder | undefined;
  #motion: MotionReader | undefined;
  #standby: Standby | undefined;
  #handedOver: Promise<HandOverPoint | undefined> | undefined;

  constructor(options: StreamReadersOptions) {
    this.#options = options;
    this.#role = options.role ?? 'active';
  }

  get role(): ReadersRole {
    return this.#role;
  }

  /** Where the recording has ended for another process to continue, or is about to; undefined: it was not handed over. */
  get handedOver(): Promise<HandOverPoint | undefined> | undefined {
    return this.#handedOver;
  }

  /** This process records from here on. */
  activate(): void {
    this.#role = 'active';
    this.#handedOver = undefined;
  }

  get recorder(): Recorder | undefined {
    return this.#recorder;
  }

  /** The recorder has put nothing on the disk yet, and may do so. */
  get isBeginning(): boolean {
    const status = this.#recorder?.status;
    return status?.fragments === 0 && (status.state === 'waiting' || status.state === 'recording');
  }

  /** Holds what is received, for `takeOver`. Idempotent. */
  standBy(): Standby {
    this.#standby ??= new Standby(this.#options.stream, this.#options.tools.clock);
    return this.#standby;
  }

  /**
   * Records from where the recorder in another process ended; without a point, and if that process was not lost, from the
   * next key frame.
   */
  async takeOver(
    settings: Pick<ManagedStreamSettings, 'isRecorded' | 'findsMotion'>,
    epoch: number,
    point: HandOverPoint | undefined,
  ): Promise<void> {
    const { uid, stream, tools } = this.#options;
    if (settings.isRecorded && this.#standby && !this.#recorder) {
      const isRecovered = await tools.recorders.prepare(uid);
      const continues = await this.#continuation(this.#standby, point, isRecovered);
      this.#recorder = tools.recorders.record(uid, stream, () => tools.permits(uid, epoch), continues);
    }
    this.stopStandby();
    await this.apply(settings, epoch);
  }

  /** `isRecovered`: the other process was lost, and may have recorded more than it has said. */
  async #continuation(
    standby: Standby,
    point: HandOverPoint | undefined,
    isRecovered: boolean,
  ): Promise<Continuation | undefined> {
    const { uid, tools } = this.#options;
    if (isRecovered) return standby.continuationAfter(tools.recorders.endOf(uid), point?.shiftTicks ?? 0);
    if (!point) return undefined;
    await standby.reach(point);
    return standby.continuationAt(point);
  }

  /** Ends recording where the next GOP begins, once `begun` is over. Undefined if nothing was recorded. Idempotent. */
  handOver(begun: Promise<void>): Promise<HandOverPoint | undefined> {
    this.#role = 'handed-over';
    this.#handedOver ??= begun.then(() => this.#endRecording());
    return this.#handedOver;
  }

  async #endRecording(): Promise<HandOverPoint | undefined> {
    // To continue here if the other process is lost before it has begun.
    if (this.#recorder) this.standBy();
    const point = await this.#recorder?.handOver();
    this.#recorder = undefined;
    this.stopMotion();
    return point;
  }

  /** Idempotent. */
  stopStandby(): void {
    this.#standby?.close();
    this.#standby = undefined;
  }

  /** Starts and stops them as the settings require; footage is written under the epoch. */
  async apply(
    { isRecorded, findsMotion }: Pick<ManagedStreamSettings, 'isRecorded' | 'findsMotion'>,
    epoch: number,
  ): Promise<void> {
    const { uid, stream, tools } = this.#options;
    if (isRecorded) {
      if (!this.#recorder) await tools.recorders.prepare(uid);
      this.#recorder ??= tools.recorders.record(uid, stream, () => tools.permits(uid, epoch));
    } else {
      await this.stopRecorder('recording-off');
    }
    if (findsMotion)
      this.#motion ??= new MotionReader(stream, tools.load, (event) => tools.onMotion(uid, event));
    else this.stopMotion();
  }

  /** Resolves when the last GOP is on the disk. Idempotent. */
  async stopRecorder(cause: RecorderStopCause): Promise<void> {
    await this.#recorder?.stop(cause);
    this.#recorder = undefined;
  }

  /** Reports the end of an open motion event. Idempotent. */
  stopMotion(): void {
    this.#motion?.close();
    this.#motion = undefined;
  }
}
