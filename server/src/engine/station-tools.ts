import type { Recorders } from '../archive/record/record.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { SourceEngines } from '../ingest/source-engines.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { ReportedState, ManagedStreamState } from './state.ts';

/** Live video relayed from the node that runs its stream. */
export interface PeerFeed {
  /** Ends the relay; the hub is paused with the cause. */
  stop(cause: PauseCause): Promise<void>;
}

/** What a stream shares with its manager. */
export interface ManagedStreamTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly recorders: Pick<Recorders, 'record' | 'remove'>;
  readonly engines: SourceEngines;
  /** A source that delivers no frame for this long counts as lost, ms. */
  readonly noFramesMs: number;
  /** Relays the live video of a stream that another node runs into a hub, until it is stopped. */
  peerFeed(stream: Stream, frame: 'main' | 'sub'): PeerFeed;
  /**
   * The epoch under which this node runs the stream now; undefined if it doesn't. Queried again after every
   * `review`.
   */
  acquire(uid: string): number | undefined;
  /** Whether samples received under an epoch may still be written; waits while this is unknown. */
  permits(uid: string, epoch: number): boolean | Promise<boolean>;
  /** The state of the stream on another node; undefined if no other node runs it. */
  reportElsewhere(uid: string): ReportedState | undefined;
  /** Called when the state shown to users changes. */
  onState(uid: string, state: ManagedStreamState): void;
  /** Called while the stream is being written; must be short and must not throw. */
  onMotion(uid: string, event: MotionEvent): void;
}
