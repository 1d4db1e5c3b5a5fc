import { Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
import type { Clock } from '../../base/clock.ts';
import type { Dial } from '../../dial/dial.ts';
import type { FromChild, JobRequest, ToChild } from '../protocol.ts';
import { AudioJob } from './audio-job.ts';
import { TranscodeJob } from './transcode-job.ts';
import { DigestJob } from './digest/digest-job.ts';
import { DemoJob } from './demo/demo-job.ts';
import { InputJob } from './input/input-job.ts';
import type { Job, JobOutput } from '../worker-job.ts';
import { SnapshotJob } from './snapshot-job.ts';
import { ThumbnailJob } from './thumbnail-job.ts';

/** The pipe to the server as the dispatcher uses it. */
export interface ParentPipe {
  write(message: FromChild): void;
  /** Bytes written but not yet read. */
  queuedBytes(): number;
  drained(): Promise<void>;
  /** Ends this process: native code is in an unknown state. */
  die(cause: unknown): void;
  /** Gets connections for a job. */
  dialOf(job: number): Dial;
}

/** Above this a job is notified that the server lags; a few seconds of a dozen streams. */
const queueMaxBytes = 16 * 1024 * 1024;

/**
 * A job that doesn't stop holds threads and memory indefinitely, so the process exits, and its streams restart.
 */
const closeMaxMs = 10_000;

/** Receives the server's requests and runs the jobs of this child. */
export class JobDispatcher {
  readonly #clock: Clock;
  readonly #parentPipe: ParentPipe;
  readonly #jobs = new Map<number, Job>();

  constructor(clock: Clock, parentPipe: ParentPipe) {
    this.#clock = clock;
    this.#parentPipe = parentPipe;
    // FFmpeg's own log goes to stderr and may contain addresses with passwords; relevant failures are returned
    // as errors.
    Log.setLevel(AV_LOG_QUIET);
  }

  handle(message: ToChild | FromChild): void {
    switch (message.type) {
      case 'ping':
        this.#parentPipe.write({ type: 'pong', job: 0 });
        return;
      case 'open':
        this.#open(message.job, message.request);
        return;
      case 'data':
        this.#jobs.get(message.job)?.data(message.bytes, message.ptsTicks);
        return;
      case 'close':
        this.#close(message.job);
        return;
      case 'hello':
      case 'pong':
      case 'tracks':
      case 'sample':
      case 'awaiting':
      case 'note':
      case 'snapshot':
      case 'thumbnail':
      case 'taken':
      case 'end':
        throw new RangeError(`A ${message.type} message must not be sent to a child.`);
    }
  }

  #open(id: number, request: JobRequest): void {
    const output = this.#outputOf(id);
    try {
      this.#jobs.set(id, this.#start(id, request, output));
    } catch (error) {
      output.end({ code: 'ProbeError', message: error instanceof Error ? error.message : String(error) });
    }
  }

  #start(id: number, request: JobRequest, output: JobOutput): Job {
    switch (request.kind) {
      case 'demo':
        return new DemoJob(request, this.#clock, output);
      case 'input':
        return new InputJob(request, this.#clock, output, this.#parentPipe.dialOf(id));
      case 'audio':
        return new AudioJob(request, output);
      case 'snapshot':
        return new SnapshotJob(request, output);
      case 'thumbnail':
        return new ThumbnailJob(request, output);
      case 'transcode':
        return new TranscodeJob(request, output);
      case 'digest':
        return new DigestJob(request, output);
    }
  }

  #close(id: number): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    this.#jobs.delete(id);
    const cancel = this.#clock.after(closeMaxMs, () => this.#parentPipe.die('a job did not stop'));
    job.close().then(cancel, (error: unknown) => this.#parentPipe.die(error));
  }

  #outputOf(id: number): JobOutput {
    const parentPipe = this.#parentPipe;
    let hasEnded = false;
    const write = (message: FromChild) => {
      if (!hasEnded) parentPipe.write(message);
    };
    return {
      tracks: (tracks, clock) => write({ type: 'tracks', job: id, tracks, clock }),
      sample: (sample) => write({ type: 'sample', job: id, ...sample }),
      awaiting: (track) => write({ type: 'awaiting', job: id, track }),
      note: (message) => write({ type: 'note', job: id, message }),
      snapshot: (bytes) => write({ type: 'snapshot', job: id, bytes }),
      thumbnail: (bytes) => write({ type: 'thumbnail', job: id, bytes }),
      taken: () => write({ type: 'taken', job: id }),
      end: (end) => {
        write({ type: 'end', job: id, end });
        hasEnded = true;
        this.#close(id);
      },
      get isFull() {
        return parentPipe.queuedBytes() > queueMaxBytes;
      },
      drained: () => parentPipe.drained(),
    };
  }
}
