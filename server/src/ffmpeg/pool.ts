import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { helperPriority, sourcePriority } from '../base/process-priority.ts';
import { asNoStream } from '../base/stream-context.ts';
import type { Log } from '../base/log.ts';
import { WorkerProcess, notInstalled, type JobListener } from './worker-process.ts';
import type { ConfinementLevel } from '../base/confinement-level.ts';
import { Confinement } from './confinement.ts';
import type { FfmpegJob, WorkerRole } from './job.ts';
import { SnapshotQueue, type SnapshotOptions } from './snapshot-queue.ts';
import type { JobRequest } from './protocol.ts';

/** Jobs in one child. Few inputs, since a crash ends them all; an idle child costs about 85 MB. */
const capacities: Readonly<Record<WorkerRole, number>> = {
  input: 6,
  datagrams: 6,
  file: 6,
  demo: 8,
  audio: 32,
  snapshot: 1,
  thumbnail: 1,
  transcode: 1,
  digest: 1,
};
/**
 * A blocked read occupies one thread of libuv's pool and a close may occupy another; four are left for files
 * and names.
 */
const threadsPerJob = 2;
const threadsForAll = 4;
const idleMs = 30_000;
/** Roles whose children yield to all others: nothing is lost if they are late. The others feed recordings. */
const helpers: ReadonlySet<WorkerRole> = new Set(['snapshot', 'thumbnail', 'transcode', 'digest']);
const unconfined = new Confinement('none');

/** The child processes that use node-av. One pool per server, disposed by its creator. */
export class FfmpegPool {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #entry: string | undefined;
  readonly #confinement: Confinement;
  readonly #children: Record<WorkerRole, Set<WorkerProcess>> = {
    input: new Set(),
    datagrams: new Set(),
    file: new Set(),
    demo: new Set(),
    audio: new Set(),
    snapshot: new Set(),
    thumbnail: new Set(),
    transcode: new Set(),
    digest: new Set(),
  };
  readonly #idle = new Map<WorkerProcess, Cancel>();
  readonly #snapshotQueue: SnapshotQueue;
  #missing: string | undefined;
  #disposed: string | undefined;

  /**
   * `entry`: another program instead of the child, for tests. Without `confinement` children are not confined.
   */
  constructor(options: { clock: Clock; log: Log; entry?: string; confinement?: Confinement }) {
    this.#clock = options.clock;
    this.#log = options.log.child({ room: 'ffmpeg' });
    this.#entry = options.entry;
    this.#confinement = options.confinement ?? unconfined;
    this.#snapshotQueue = new SnapshotQueue(this, options.clock);
  }

  /** The confinement of the children. */
  get confinement(): ConfinementLevel {
    return this.#confinement.level;
  }

  /** Process ids of the children, for statistics and for tests that end one. */
  get pids(): readonly number[] {
    return Object.values(this.#children).flatMap((children) =>
      [...children].flatMap((child) => (child.isAlive && child.pid !== undefined ? [child.pid] : [])),
    );
  }

  /**
   * Starts a job in a child with free capacity, or in a new one. Later failures are reported to the listener.
   * @throws Fault Unavailable if node-av is not installed or the pool is disposed
   */
  open(request: () => JobRequest, role: WorkerRole, listener: JobListener): FfmpegJob {
    if (this.#disposed !== undefined)
      throw new Fault('Unavailable', `The media processes have been stopped: ${this.#disposed}.`);
    if (this.#missing !== undefined) throw notInstalled(this.#missing);
    const child = this.#childFor(role);
    this.#idle.get(child)?.();
    this.#idle.delete(child);
    const job = child.open(request, {
      ...(listener.dial && { dial: listener.dial }),
      message: (message) => listener.message(message),
      ended: (fault, words) => {
        this.#missing ??= child.missing;
        this.#rest(child);
        listener.ended(fault, words);
      },
    });
    return {
      data: (bytes, ptsTicks) => child.data(job, bytes, ptsTicks),
      send: (bytes, ptsTicks) => child.send(job, bytes, ptsTicks),
      close: () => {
        child.close(job);
        this.#rest(child);
      },
      kill: (cause) => child.kill(cause),
    };
  }

  /**
   * A JPEG of one key frame, made in a child of its own, at most `maxWidth` wide.
   * @throws Fault ProbeError if the frame cannot be decoded, TooManyRequests if too many wait,
   * SERVER_NOT_RESPONSE_ERR if the deadline passes, Unavailable without node-av
   */
  snapshot(track: VideoTrack, keySample: Sample, options?: SnapshotOptions): Promise<Uint8Array> {
    return this.#snapshotQueue.make(track, keySample, options);
  }

  /**
   * Ends all children; every job's listener gets `cause`. Idempotent; resolves when all processes have exited.
   */
  async dispose(cause: string): Promise<void> {
    this.#disposed ??= cause;
    for (const cancel of this.#idle.values()) cancel();
    this.#idle.clear();
    const children = Object.values(this.#children).flatMap((set) => [...set]);
    for (const child of children) child.kill(cause);
    await Promise.all(children.map((child) => child.exited));
  }

  #childFor(role: WorkerRole): WorkerProcess {
    for (const child of this.#children[role]) {
      if (child.isAlive && child.jobCount < capacities[role]) return child;
    }
    const options = {
      clock: this.#clock,
      log: this.#log,
      ...(this.#entry === undefined ? {} : { entry: this.#entry }),
      threads: threadsForAll + threadsPerJob * capacities[role],
      priority: helpers.has(role) ? helperPriority : sourcePriority,
      confinement: role === 'file' ? unconfined : this.#confinement,
      keepsNetwork: role === 'datagrams',
    };
    // Shared by the jobs of several streams.
    const child = asNoStream(() => new WorkerProcess(options));
    this.#children[role].add(child);
    void child.exited.then(() => this.#forget(role, child));
    return child;
  }

  #forget(role: WorkerRole, child: WorkerProcess): void {
    this.#children[role].delete(child);
    this.#idle.get(child)?.();
    this.#idle.delete(child);
  }

  /** Ends a child that has been idle for a while. */
  #rest(child: WorkerProcess): void {
    if (!child.isAlive || child.jobCount > 0 || this.#idle.has(child)) return;
    this.#idle.set(
      child,
      this.#clock.after(idleMs, () => child.kill('it was idle')),
    );
  }
}
