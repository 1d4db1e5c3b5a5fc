import type { Archive } from '../archive/archive.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { SourceEngines } from '../ingest/source-engines.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { ReportedState, ManagedStreamState } from './state.ts';

/** A live video on its way from the node that runs its stream. */
export interface PeerFeed {
  /** Ends it; the hub is paused with the cause. */
  stop(cause: PauseCause): Promise<void>;
}

/** What a stream borrows from its station. */
export interface ManagedStreamTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly archive: Archive;
  readonly engines: SourceEngines;
  /** Without a picture for so long a source counts as gone, ms. */
  readonly noFramesMs: number;
  /** Brings the live video of a stream that another node runs into a hub, until it is stopped. */
  peerFeed(stream: Stream, frame: 'main' | 'sub'): PeerFeed;
  /** The epoch under which this node runs the stream now; undefined when it doesn't. Asked anew after every `review`. */
  acquire(uid: string): number | undefined;
  /** Whether what came under an epoch may still be written; waits while nobody can say. */
  permits(uid: string, epoch: number): boolean | Promise<boolean>;
  /** What is known of the stream where another node has it; undefined when none has. */
  reportElsewhere(uid: string): ReportedState | undefined;
  /** Called when what people see of the stream changed. */
  onState(uid: string, state: ManagedStreamState): void;
  /** Called inside the writing of the stream: must be short and must not throw. */
  onMotion(uid: string, event: MotionEvent): void;
}
