import type { GapCause } from '@vidette/contract/entities';

/** The information that tiles show about their streams. */
export interface StreamFacts {
  /** Undefined for a stream that the viewer may not watch. */
  readonly nameOf: (uid: string) => string | undefined;
  /** Why the shared moment of the archive is not recorded on a stream; undefined when unknown. */
  readonly gapCauseOf: (uid: string) => GapCause | undefined;
  /** Why a stream has no live video, as reported by the server; undefined when it should have one. */
  readonly troubleOf: (uid: string) => string | undefined;
  /** Video stopped arriving: the server may know why by now. */
  readonly onAway: () => void;
}
