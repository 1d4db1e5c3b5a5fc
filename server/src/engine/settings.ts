/**
 * What a node needs to know about a configured stream to run it; the stream manager never reads the database
 * itself.
 */
export interface ManagedStreamSettings {
  readonly uid: string;
  /** The source's address with its credentials; empty if the stored one cannot be read. */
  readonly source: string;
  /** The address of a sub-stream of the same camera, run only while a viewer watches it; null without one. */
  readonly subSource: string | null;
  /** Whether an administrator saved this source: it may be on this machine. */
  readonly allowLoopback: boolean;
  readonly isPaused: boolean;
  /** The source runs only while a viewer watches. Has no effect while the stream is recorded. */
  readonly isOnDemand: boolean;
  readonly isRecorded: boolean;
  /** Motion is detected while the source runs, recorded or not. */
  readonly findsMotion: boolean;
  /** Retention in hours; -1 keeps all footage. */
  readonly depthHours: number;
  /** Hours after which footage moves to object storage; -1: never. */
  readonly farAfterHours: number;
}
