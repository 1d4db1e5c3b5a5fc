import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import { backoffMs, type Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { overloaded, type LoadLevel } from '../base/load-level.ts';
import type { KeyFrame } from './stream-report.ts';

/** Renders one key frame as a JPEG at most `maxWidth` pixels wide. */
export type Render = (track: VideoTrack, keySample: Sample, maxWidth: number) => Promise<Uint8Array>;

export interface Snapshot {
  readonly jpeg: Uint8Array;
  /** Capture time, milliseconds since the epoch. */
  readonly timeMs: number;
}

/** A stream, as far as snapshots of it need it. */
export interface SnapshotSource {
  readonly uid: string;
  /** Undefined before the first, and while no source delivers. */
  newestKeyFrame(): KeyFrame | undefined | Promise<KeyFrame | undefined>;
}

interface CachedSnapshot {
  snapshot: Snapshot;
  keyDts: number;
  renderedAtMs: number;
}

/** Consecutive failed renders. */
interface RenderFailure {
  readonly fault: Fault;
  readonly inARow: number;
  /** Monotonic time, ms, before which the stream is not retried. */
  readonly retryAtMs: number;
}

/**
 * The widths that are rendered; a request gets the next larger one, so that a list of tiles shares its
 * snapshots.
 */
const widths = [320, 640, 1280, 1920] as const;

/** A snapshot younger than this is served again even if there is a newer key frame. */
const freshMs = 2_000;
/**
 * If a newer snapshot isn't ready after this time, it renders in the background while the last good one is
 * served, ms.
 */
const waitForNewerMs = 300;
/** How long a caller waits for the first frame of a stream, ms. */
const waitForFirstMs = 5_000;
/**
 * Pause after a failed render, doubled by each further one: frames that crash a decoder must not cost it every
 * few seconds.
 */
const retries: Backoff = { firstMs: 2_000, longestMs: 600_000 };

/**
 * Snapshots of running streams: the newest key frame as a JPEG, rendered on request only, once for all callers.
 * The last good one is kept, with its time: it is served while a stream is paused or failed, and while a newer
 * one is late or cannot be rendered. Above `maxBytes` the least recently used are evicted.
 */
export class Snapshots {
  readonly #render: Render;
  readonly #clock: Clock;
  readonly #load: Pick<LoadLevel, 'defers'>;
  readonly #maxBytes: number;
  /** In order of use, least recently used first. */
  readonly #entries = new Map<string, CachedSnapshot>();
  readonly #rendering = new Map<string, Promise<Snapshot>>();
  /** By key, as for the entries. */
  readonly #failures = new Map<string, RenderFailure>();
  #bytes = 0;

  constructor(options: { render: Render; clock: Clock; load: Pick<LoadLevel, 'defers'>; maxBytes?: number }) {
    this.#render = options.render;
    this.#clock = options.clock;
    this.#load = options.load;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  }

  /**
   * The newest snapshot of a stream; an older one, as its `timeMs` shows, if the newest is late or cannot be
   * rendered. While snapshots wait, the last one that was rendered.
   * @throws Fault ServerOverloaded if they wait and there is none, Unavailable if there has never been one, SERVER_NOT_RESPONSE_ERR if the first one is late, or
   * the error of its render
   */
  async newest(source: SnapshotSource, requestedWidth: number): Promise<Snapshot> {
    const width = widths.find((candidate) => candidate >= requestedWidth) ?? 1920;
    const key = `${source.uid}/${width}`;
    if (this.#load.defers('thumbnails')) return this.#last(source.uid, key);
    const found = source.newestKeyFrame();
    const frame = found instanceof Promise ? await found : found;
    const entry = this.#use(key);
    if (!frame || frame.sample.dts === entry?.keyDts) {
      if (entry) return entry.snapshot;
      throw new Fault('Unavailable', 'There is no snapshot of this stream yet.');
    }
    const nowMs = this.#clock.monotonicMs();
    if (entry && nowMs - entry.renderedAtMs < freshMs) return entry.snapshot;
    const failure = this.#failures.get(key);
    if (failure && nowMs < failure.retryAtMs) {
      if (entry) return entry.snapshot;
      throw new Fault(failure.fault.code, failure.fault.message, { cause: failure.fault });
    }
    let rendering = this.#rendering.get(key);
    if (!rendering) {
      rendering = this.#renderFrame(key, frame, width).finally(() => this.#rendering.delete(key));
      this.#rendering.set(key, rendering);
    }
    return entry ? this.#newerOr(rendering, entry.snapshot) : this.#first(rendering);
  }

  /** Of any width, rather than none. @throws Fault ServerOverloaded */
  #last(uid: string, key: string): Snapshot {
    for (const candidate of [key, ...widths.map((width) => `${uid}/${width}`)]) {
      const entry = this.#use(candidate);
      if (entry) return entry.snapshot;
    }
    throw overloaded();
  }

  /** Deletes the snapshots of a removed stream. */
  forget(uid: string): void {
    for (const width of widths) {
      this.#drop(`${uid}/${width}`);
      this.#failures.delete(`${uid}/${width}`);
    }
  }

  /**
   * The newer snapshot if it is ready soon, otherwise the last good one; rendering continues and a failure is
   * recorded.
   */
  #newerOr(rendering: Promise<Snapshot>, last: Snapshot): Promise<Snapshot> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(waitForNewerMs, () => resolve(last));
      rendering.then(resolve, () => resolve(last)).finally(cancel);
    });
  }

  #first(rendering: Promise<Snapshot>): Promise<Snapshot> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(waitForFirstMs, () =>
        reject(new Fault('SERVER_NOT_RESPONSE_ERR', 'The snapshot could not be made in time.')),
      );
      rendering.then(resolve, reject).finally(cancel);
    });
  }

  async #renderFrame(key: string, frame: KeyFrame, width: number): Promise<Snapshot> {
    const jpeg = await this.#render(frame.track, frame.sample, width).catch((error: unknown) => {
      throw this.#noteFailure(key, error);
    });
    this.#failures.delete(key);
    const snapshot = { jpeg, timeMs: Math.round((frame.sample.pts / frame.track.timescale) * 1000) };
    this.#drop(key);
    this.#entries.set(key, { snapshot, keyDts: frame.sample.dts, renderedAtMs: this.#clock.monotonicMs() });
    this.#bytes += jpeg.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    return snapshot;
  }

  #noteFailure(key: string, error: unknown): Fault {
    const fault =
      error instanceof Fault
        ? error
        : new Fault('InternalServerError', 'No snapshot was made.', { cause: error });
    const inARow = (this.#failures.get(key)?.inARow ?? 0) + 1;
    const retryAtMs = this.#clock.monotonicMs() + backoffMs(inARow, retries);
    this.#failures.set(key, { fault, inARow, retryAtMs });
    return fault;
  }

  #use(key: string): CachedSnapshot | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.snapshot.jpeg.byteLength;
  }
}
