import type { Recorder, RecorderStopCause } from '../archive/record/record.ts';
import type { Stream } from '../hub/stream.ts';
import { MotionReader } from '../motion/motion-reader.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ManagedStreamTools } from './station-tools.ts';

export interface StreamReadersOptions {
  readonly uid: string;
  readonly stream: Stream;
  readonly tools: Pick<ManagedStreamTools, 'load' | 'recorders' | 'permits' | 'onMotion'>;
}

/** The readers of a stream's hub on the node that runs the stream: its recorder and its motion reader. */
export class StreamReaders {
  readonly #options: StreamReadersOptions;
  #recorder: Recorder | undefined;
  #motion: MotionReader | undefined;

  constructor(options: StreamReadersOptions) {
    this.#options = options;
  }

  get recorder(): Recorder | undefined {
    return this.#recorder;
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
