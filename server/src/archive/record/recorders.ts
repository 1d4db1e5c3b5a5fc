import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Stream } from '../../hub/stream.ts';
import { RecordingBacklog } from './recording-backlog.ts';
import { Recorder, type Continuation, type RecorderTools } from './recorder.ts';
import type { RecordingLimits } from './recording-limits.ts';
import { type RecorderView, writeFailureOf } from './reported-recorders.ts';
import { SegmentWriter, type SegmentWriterTools } from './segment-writer.ts';

export interface RecordersOptions extends SegmentWriterTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RecordingLimits;
  /** Removes all footage of a stream that is not being recorded. */
  removeFootage(uid: string): Promise<void>;
  /** Before a stream is recorded: puts in order what an earlier recorder of it left behind. Resolves to whether it did. */
  prepare?(uid: string): Promise<boolean>;
}

/** The recorders of this node, one for each stream being recorded. Their writes share the disk. */
export class Recorders implements RecorderView {
  readonly #options: RecordersOptions;
  readonly #writes: Semaphore;
  readonly #running = new Map<string, Recorder>();
  readonly #backlog: RecordingBacklog;

  constructor(options: RecordersOptions) {
    this.#options = options;
    const { clock, log, limits } = options;
    this.#writes = new Semaphore(limits.writesAtATime);
    this.#backlog = new RecordingBacklog({ clock, log, maxBytes: limits.backlogMaxBytes });
  }

  /** What waits to be written, relative to its limit. */
  get backlogShare(): number {
    return this.#backlog.share;
  }

  /** The running ones, by uid. */
  get running(): ReadonlyMap<string, Recorder> {
    return this.#running;
  }

  /**
   * Called before `record`. Resolves to whether an earlier recorder of the stream was lost with its process, and what it
   * left behind was put in order now. @throws system and SQLite errors
   */
  async prepare(uid: string): Promise<boolean> {
    return (await this.#options.prepare?.(uid)) ?? false;
  }

  /** Where the recorded footage of a stream ends, catalog ticks; 0 while there is none. */
  endOf(uid: string): number {
    const { reads } = this.#options;
    const stream = reads.stream(uid);
    return (stream && reads.newestSegment(stream.id)?.endTicks) ?? 0;
  }

  /**
   * Records a stream until the recorder is stopped; footage that `permits` rejects is dropped. With `continues` it
   * continues where another recorder has ended. @throws RangeError if it is already being recorded
   */
  record(
    uid: string,
    stream: Stream,
    permits: RecorderTools['permits'] = () => true,
    continues?: Continuation,
  ): Recorder {
    if (this.#running.has(uid) || stream.uid !== uid)
      throw new RangeError(`${uid} is already being recorded`);
    const { clock, log, limits } = this.#options;
    const recorder = new Recorder(stream, {
      writer: new SegmentWriter(uid, this.#options, this.#writes, limits),
      clock,
      log: log.child({ stream: uid }),
      limits,
      backlog: this.#backlog,
      permits,
      continues,
      onStopped: () => this.#running.delete(uid),
    });
    this.#running.set(uid, recorder);
    return recorder;
  }

  of(uid: string): Recorder | undefined {
    return this.#running.get(uid);
  }

  isRecording(uid: string): boolean {
    return this.#running.get(uid)?.status.state === 'recording';
  }

  get writeFailure(): string | undefined {
    return writeFailureOf(this.#running.values());
  }

  /**
   * Deletes all footage of a stream; its recorder, if any, is stopped first.
   * @throws RecordingFailure with the wrong disk mounted, system errors
   */
  async remove(uid: string): Promise<void> {
    await this.#running.get(uid)?.stop('removed');
    await this.#options.removeFootage(uid);
  }

  /** Stops all recorders. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((recorder) => recorder.stop('server-stopped')));
    this.#backlog.close();
  }
}
