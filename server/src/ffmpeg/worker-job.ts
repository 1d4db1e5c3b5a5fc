import type { Track } from '@vidette/media/track';
import type { JobEnd, SampleMessage, SourceClock } from './protocol.ts';

/** One piece of work inside the child: an input, a demo source, an audio transcoder, one snapshot. */
export interface Job {
  /** Coded bytes for transcoding jobs; ignored by other jobs. */
  data(bytes: Uint8Array, ptsTicks: number): void;
  /** Releases everything; resolves when the native side has finished. Idempotent. */
  close(): Promise<void>;
}

/** Where a job's results go: the pipe to the server, already bound to the job's number. */
export interface JobOutput {
  tracks(tracks: readonly Track[], clock: SourceClock): void;
  sample(sample: Omit<SampleMessage, 'type' | 'job'>): void;
  /** A frame arrived that cannot be passed on before a video key frame. */
  awaiting(track: Track['kind']): void;
  note(message: string): void;
  snapshot(jpeg: Uint8Array): void;
  /** Of one frame; empty if it could not be decoded. */
  thumbnail(bytes: Uint8Array): void;
  /** One `data` has been processed. */
  taken(): void;
  /** The last message of a job that ends by itself; later messages are dropped. */
  end(end: JobEnd): void;
  /** The server reads more slowly than the child writes: a live job skips, others await `drained`. */
  readonly isFull: boolean;
  drained(): Promise<void>;
}
