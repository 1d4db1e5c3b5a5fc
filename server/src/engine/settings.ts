/** What a node needs to know of a configured stream to run it; the station never reads the database itself. */
export interface ManagedStreamSettings {
  readonly uid: string;
  /** The source's address with its credentials; empty when the stored one cannot be read. */
  readonly source: string;
  /** The address of a sub-stream of the same camera, run only while somebody watches it; null without one. */
  readonly subSource: string | null;
  /** An administrator saved this source: it may be on this very machine. */
  readonly allowLoopback: boolean;
  readonly isPaused: boolean;
  /** The source runs only while somebody watches. Has no effect while the stream is recorded. */
  readonly isOnDemand: boolean;
  readonly isRecorded: boolean;
  /** Motion is looked for while the source runs, recorded or not. */
  readonly findsMotion: boolean;
  /** Hours of archive that are kept; -1 keeps all. */
  readonly depthHours: number;
  /** Hours after which footage moves to the bucket; -1: never. */
  readonly farAfterHours: number;
}
