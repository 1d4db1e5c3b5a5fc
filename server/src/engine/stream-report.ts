import { keepSample } from '@vidette/media/sample-block';
import type { LiveTrack } from '@vidette/contract/live';
import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { RecorderStatus } from '../archive/record/record.ts';
import type { Stream, StreamCounters } from '../hub/stream.ts';
import type { StreamLogLine } from '../ingest/stream-log.ts';
import type { LiveAudience } from '../live/live.ts';

/** What the process that runs a stream reports of it, about once a second. */
export interface StreamReport {
  /** Wall clock at which the source's present state began, ms; undefined while no source is wanted. */
  readonly sinceMs: number | undefined;
  /** Attempts since the last frames, including the current one. */
  readonly attempts: number;
  /** Wall clock at which the next attempt begins at the latest, ms; undefined unless the source waits for it. */
  readonly nextAttemptMs?: number | undefined;
  readonly counters: Readonly<StreamCounters>;
  /** Undefined while the stream is not recorded. */
  readonly recorder: RecorderStatus | undefined;
  /** A source or a recorder exists. */
  readonly isActive: boolean;
  /** The process does what it is asked to: where recording is on, its first GOP is on the disk. */
  readonly isTakenUp: boolean;
  /** The assignment to which all this belongs; undefined before the stream has begun. */
  readonly epoch?: number | undefined;
  /** Of the viewers whom the process serves. */
  readonly audience?: LiveAudience | undefined;
}

/** What it reports only when asked. */
export interface StreamDetails {
  readonly tracks: readonly LiveTrack[];
  /** Oldest first. */
  readonly lines: readonly StreamLogLine[];
}

/** A key frame, and what is needed to decode it. */
export interface KeyFrame {
  readonly track: VideoTrack;
  readonly sample: Sample;
}

/** The newest key frame in a hub; undefined before the first, and while no source delivers. */
export function newestKeyFrame(stream: Stream): KeyFrame | undefined {
  const sample = stream.gop[0];
  const track = stream.tracks?.find((candidate) => candidate.id === sample?.trackId);
  if (!sample || track?.kind !== 'video') return undefined;
  keepSample(sample);
  return { track, sample };
}
