import type { ErrorCode } from '@vidette/contract/errors';
import type { Archive, Recorder } from '../archive/archive.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { parseSourceAddress } from '../ingest/address.ts';
import type { StreamLog } from '../ingest/stream-log.ts';
import type { Supervisor } from '../ingest/supervisor.ts';
import { LiveFragmenter } from '../live/fragmenter.ts';
import { LowLatencyHls } from '../live/hls.ts';
import { Stream } from '../stream/stream.ts';
import { Leases } from './leases.ts';
import type { StationSettings } from './settings.ts';

/** Wire values of a stream's status [R4.1]. */
export type StationStatus = 'pending' | 'running' | 'failed' | 'paused' | 'disabled';

export interface StationState {
  readonly status: StationStatus;
  /** In words, only while failed. */
  readonly failureReason: string | null;
  readonly code: ErrorCode | null;
  /** When the status became what it is, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** What a stream borrows from the station that runs it. */
export interface StationTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly archive: Archive;
  /** A supervisor that keeps the source of `settings` delivering into `stream`. */
  supervise(settings: StationSettings, stream: Stream, streamLog: StreamLog): Supervisor;
}
