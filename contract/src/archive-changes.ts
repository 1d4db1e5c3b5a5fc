/**
 * The lines that `searchArchiveChanges` sends, each one JSON object. Times are ms since the epoch. Server and page may be
 * of different versions: lines of unknown types are ignored. Without Zod, because the page loads it.
 */
import type { ErrorCode } from './errors.ts';

/** Limits of a search for changes in the archive. */
export const changeSearch = {
  spanMaxDays: 366,
  framesMax: 800,
  secondsMax: 60,
  /** Searches of all users that run simultaneously; each user has one. */
  atOnceMax: 2,
  /** Smaller regions are not compared, shares of the frame. */
  regionLeast: 0.01,
} as const;

/** A line of a search for changes. */
export type ChangeLine =
  | {
      readonly type: 'begin';
      /** The recorded time that is searched, from its first key frame. */
      readonly startTime: number;
      readonly endTime: number;
      /** Nodes that do not respond: what they recorded is not searched. */
      readonly withoutNodes: readonly string[];
    }
  /** Compared so far, and how many frames the search will need at most, as far as is known by now. */
  | { readonly type: 'progress'; readonly frames: number; readonly expected: number }
  /**
   * Between two neighbouring key frames among those compared so far. A later step may divide its span: then it holds no
   * longer.
   */
  | ({ readonly type: 'step' } & ChangeStep)
  /** A change, followed down to two key frames between which none was recorded, or none can be read. */
  | ({
      readonly type: 'mark';
      /** False: soon after it the region looks as before, as when a person passes. */
      readonly lasts: boolean;
    } & ChangeStep)
  | {
      readonly type: 'end';
      readonly reason: ChangeSearchEnd;
      readonly frames: number;
      /** Frames that could not be read or decoded. */
      readonly unreadable: number;
    }
  /** Nothing follows. */
  | { readonly type: 'failed'; readonly code: ErrorCode };

/** What changed in the region between two key frames. */
export interface ChangeStep {
  readonly startTime: number;
  readonly endTime: number;
  /**
   * How much more the region changed than the rest of the frame: the mean difference of its cells, in standard deviations
   * of the frame's brightness; 0: no more than the rest.
   */
  readonly change: number;
}

/**
 * Why a search ended: `complete`; `frames` or `time`: a limit was reached, and what was found by then is valid;
 * `replaced`: the same user began another one.
 */
export type ChangeSearchEnd = 'complete' | 'frames' | 'time' | 'replaced';
