/**
 * The protocol between the front and an engine process: frames over one Unix socket.
 *
 *     u32 LE  length of what follows
 *     ...     JSON text (UTF-8)
 *
 * The first frame of a connection is the front's `Greeting`. A control connection then carries `FrontMessage` and
 * `EngineMessage` both ways. The others are answered with the frames of `feed/sample-wire.ts`: `live` until either side
 * closes it, `key-frame` with at most one tracks and one sample event. Engines outlive the front, so that the two may
 * differ by one version: members are only ever added, and messages of an unknown type are passed over.
 */
import { isErrorCode, type ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { FrameReader, lengthBytes } from '../base/frame-reader.ts';
import type { PermitsReport } from '../base/write-permits.ts';
import type { ConfinementLevel } from '../base/confinement-level.ts';
import type { HandOverPoint } from '../archive/record/record.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ManagedStreamState } from './state.ts';
import type { StreamDetails, StreamReport } from './stream-report.ts';
import type { PresentViewer } from './viewer-protocol.ts';

/** The first frame of a connection. */
export type Greeting =
  | { readonly type: 'control' }
  | { readonly type: 'live'; readonly uid: string; readonly variant: 'main' | 'sub' }
  | { readonly type: 'key-frame'; readonly uid: string };

/** Why an engine no longer runs a stream, as it is noted in the archive. */
export type ReleaseCause = 'removed' | 'moved' | 'drained';

/** Where an engine records, and how it treats sources. The same for as long as the process runs. */
export interface EngineSetup {
  readonly archiveDir: string;
  readonly catalog: string;
  /** See `ManagedStreamTools.noFramesMs`. */
  readonly noFramesMs: number;
  /** Of the log that the engine writes itself. */
  readonly logLevel: LogLevel;
  /** The node has a lease in a cluster: nothing is written before the first `lease` message. */
  readonly isLeased?: boolean;
  /** Of FFmpeg's processes, as the front found out for the whole server; an earlier version doesn't say. */
  readonly confinement?: ConfinementLevel;
}

/** What the front sends on a control connection. */
export type FrontMessage =
  /** First; ignored by an engine that is set up already. Nothing runs before it. */
  | { readonly type: 'set-up'; readonly setup: EngineSetup }
  | {
      readonly type: 'run';
      readonly settings: ManagedStreamSettings;
      readonly epoch: number;
      /** The process that recorded the stream last died: its recordings are put in order first. */
      readonly needsRecovery: boolean;
      /** The camera admits one connection; the engine passes this on to the next front. */
      readonly isSingleSession?: boolean;
    }
  /**
   * Receives a stream that another engine records still. Answered when a GOP has begun; a fault when the source can't be
   * reached.
   */
  | {
      readonly type: 'prepare';
      readonly id: number;
      readonly settings: ManagedStreamSettings;
      readonly epoch: number;
    }
  /** Answered at a good moment to release a stream whose camera admits one connection. */
  | { readonly type: 'await-moment'; readonly id: number; readonly uid: string }
  /** Ends the recording of a stream where its next GOP begins; the answer says where. */
  | { readonly type: 'hand-over'; readonly id: number; readonly uid: string }
  /** Records a prepared stream from where the other engine ended; without a point, from the next key frame. */
  | { readonly type: 'take-over'; readonly id: number; readonly uid: string; readonly point?: HandOverPoint }
  /** Answered once the last GOP is on the disk. */
  | {
      readonly type: 'release';
      readonly id: number;
      readonly uid: string;
      readonly cause: ReleaseCause;
    }
  /**
   * These are all streams that the engine has to run: it releases any other. From here on it reports.
   */
  | { readonly type: 'assigned'; readonly uids: readonly string[] }
  /** The archive's disk may be written to, or not; it may until the first. */
  | { readonly type: 'disk'; readonly isInOrder: boolean }
  /** See `LoadLevel`; 0 until the first. */
  | { readonly type: 'load'; readonly level: number }
  /** In a cluster: after `assigned`, and whenever the node's lease is renewed or a verdict is reached. */
  | { readonly type: 'lease'; readonly report: PermitsReport }
  | { readonly type: 'details'; readonly id: number; readonly uid: string }
  /** A viewer of a stream is on its way: a source that runs on demand begins to connect meanwhile. */
  | { readonly type: 'expect-viewer'; readonly uid: string }
  /** A viewer has lost the right to watch. */
  | { readonly type: 'end-viewer'; readonly id: string; readonly code: ErrorCode }
  /** Once a second in a cluster: the front turns, and learns which rights other nodes withdraw. */
  | { readonly type: 'alive' }
  /** The session or token of a viewer expires then, ms since the epoch; null: not soon. Also while the front hangs. */
  | { readonly type: 'viewer-until'; readonly id: string; readonly untilMs: number | null }
  /** The front follows the rights of all viewers that it was greeted with, and has ordered the end of some. */
  | { readonly type: 'viewers-followed' };

/** The condition of an engine process. */
export interface EngineVitals {
  /** Since the process started, s. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** The longest delay of its event loop since the last report, ms. */
  readonly eventLoopDelayMs: number;
  readonly uptimeSeconds: number;
  /** What waits to be written, relative to its limit (`RecordingBacklog`). Undefined from an engine of the version before. */
  readonly backlogShare?: number;
}

/** The words of the message `problem`, which `base/known-reasons.ts` translates. */
export const noArchiveReason =
  'The recording process could not open the archive and keeps trying; the server log has the reason.';

/** What an engine sends on a control connection. */
export type EngineMessage =
  /** First: its process, and the streams and viewers that it has now, from an earlier front. */
  | {
      readonly type: 'hello';
      readonly uids: readonly string[];
      /** Streams that it receives for a process that records them still. Undefined from an engine of the version before. */
      readonly standby?: readonly string[];
      /** Streams whose recording has ended for another process to continue, or is about to end. As `standby`. */
      readonly handedOver?: readonly string[];
      readonly pid?: number;
      /** Absent from an engine that can't prepare, hand over and take over streams. */
      readonly canHandOver?: boolean;
      /** The file that it holds locked for as long as it may record. */
      readonly lock?: string;
      /** Those of its streams whose cameras admit one connection, as earlier fronts found. */
      readonly singleSession?: readonly string[];
      /** Undefined where it serves none. */
      readonly viewers?: readonly PresentViewer[];
    }
  /** The connection of a viewer has arrived, or is closed. */
  | { readonly type: 'viewer-taken' | 'viewer-gone'; readonly id: string }
  /** Why it cannot record any stream at present; null when it can again. */
  | { readonly type: 'problem'; readonly reason: string | null }
  | {
      readonly type: 'state';
      readonly uid: string;
      readonly state: ManagedStreamState;
      /** Since when, among others; undefined from engines of earlier versions. */
      readonly report?: StreamReport;
    }
  | { readonly type: 'reports'; readonly reports: readonly (readonly [string, StreamReport])[] }
  | { readonly type: 'vitals'; readonly vitals: EngineVitals }
  /** A state that a stream had while no front was connected, and when it began, ms since the epoch; oldest first. */
  | {
      readonly type: 'past-state';
      readonly uid: string;
      readonly state: ManagedStreamState;
      readonly atMs: number;
    }
  | { readonly type: 'motion'; readonly uid: string; readonly event: MotionEvent }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly fields: object }
  /** Last, before the process ends: everything is on the disk. */
  | { readonly type: 'stopped' }
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly details?: StreamDetails;
      readonly point?: HandOverPoint;
    }
  | { readonly type: 'fault'; readonly id: number; readonly code: string; readonly message: string };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One message as a frame. */
export function encodeMessage(message: Greeting | FrontMessage | EngineMessage): Buffer {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(lengthBytes + bytes);
  frame.writeUInt32LE(bytes, 0);
  frame.write(text, lengthBytes);
  return frame;
}

/** Cuts the bytes of a connection into messages; `push` throws RangeError or SyntaxError for what is none. */
export function messageReader<Message>(onMessage: (message: Message) => void): FrameReader {
  return new FrameReader((frame) => onMessage(JSON.parse(frame.toString()) as Message));
}

/** The fault that an engine answered with. */
export function faultOfAnswer({ code, message }: { readonly code: string; readonly message: string }): Fault {
  return new Fault(isErrorCode(code) ? code : 'Unavailable', message);
}
