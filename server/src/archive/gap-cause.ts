import type { PauseCause } from '../stream/reader.ts';

/** Why a span was not recorded. Stored as text in the catalog and shown in words by the page. */
export type GapCause =
  /** What the source's supervisor said when frames stopped. */
  | PauseCause
  /** Recording is on, the source has not delivered yet. */
  | 'waiting'
  /** Time between two pictures jumped by more than a long frame. */
  | 'time-jump'
  | 'server-stopped'
  | 'server-crashed'
  | 'recording-off'
  | 'disk-full'
  | 'write-failed'
  | 'write-too-slow'
  | 'wrong-disk'
  /** Retention or an administrator removed it. */
  | 'removed'
  /** Nothing is known, as before the first recording. */
  | 'none';
