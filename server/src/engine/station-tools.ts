import type { Recorders } from '../archive/record/record.ts';
import type { Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { SourceEngines } from '../ingest/source-engines.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ReportedState, ManagedStreamState } from './state.ts';
import type { KeyFrame, StreamDetails, StreamReport } from './stream-report.ts';

/** Live video relayed from the node that runs its stream. */
export interface PeerFeed {
  /** Ends the relay; the hub is paused with the cause. */
  stop(cause: PauseCause): Promise<void>;
}

/** Runs the streams of this node in processes of their own. */
export interface EngineHost {
  /** Runs a stream with these settings, or changes one that runs. */
  apply(settings: ManagedStreamSettings): void;
  /** Checks again whether this node runs the stream. */
  review(uid: string): void;
  /** Ends a stream for good; resolves when its last GOP is on the disk. */
  remove(uid: string): Promise<void>;
  /** As of the last report; of a stream that has none yet, that of one that has not begun. */
  report(uid: string): StreamReport;
  /** @throws Fault Unavailable when the process that runs the stream does not answer */
  details(uid: string): Promise<StreamDetails>;
  /** @throws Fault as `details` */
  newestKeyFrame(uid: string): Promise<KeyFrame | undefined>;
}

/** What a stream shares with its manager. */
export interface ManagedStreamTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly load: LoadLevel;
  readonly recorders: Pick<Recorders, 'prepare' | 'record' | 'endOf' | 'remove'>;
  readonly engines: SourceEngines;
  /** Undefined where the streams run in this process. */
  readonly host?: EngineHost | undefined;
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
  /** See `Turns`, of all streams of the process; undefined where they do little. */
  readonly nextTurn?: (() => Promise<void>) | undefined;
  /** Called when the state shown to users changes. */
  onState(uid: string, state: ManagedStreamState): void;
  /** Called while the stream is being written; must be short and must not throw. */
  onMotion(uid: string, event: MotionEvent): void;
}
