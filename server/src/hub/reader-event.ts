import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/** An event that a reader takes from its queue, in order of occurrence. */
export type ReaderEvent =
  /**
   * Decoder parameters: the first event, and again whenever they change. The next video sample is a key frame.
   */
  | { readonly type: 'tracks'; readonly generation: number; readonly tracks: readonly Track[] }
  /** `startsGop`: a decoder can start here; the key frame of the video track, or any frame of a stream without video. */
  | { readonly type: 'sample'; readonly sample: Sample; readonly startsGop: boolean }
  /** The reader was too slow: `samples` were dropped; the events that follow start at a key frame. */
  | { readonly type: 'skipped'; readonly samples: number }
  /**
   * The source disconnected (`tracks` follows if it returns), or the reason for its absence changed. A reader
   * with an open GOP closes it.
   */
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** The stream itself has ended; nothing follows. */
  | { readonly type: 'end'; readonly cause: string };

/**
 * Why no frames arrive, stored with the resulting gap in the archive. `waiting`: a source is wanted and has not
 * answered yet.
 */
export type PauseCause =
  | 'waiting'
  | 'unreachable'
  | 'no-frames'
  | 'stopped'
  | 'paused'
  | 'source-changed'
  | 'idle'
  | 'damaged'
  | 'ended'
  /** The clock of this server was set: the following samples have the new time. */
  | 'clock-set'
  /** This node was drained. */
  | 'drained'
  /** Another node runs the stream. */
  | 'moved';
