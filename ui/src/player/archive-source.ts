import type { Interval } from '../timeline/intervals.ts';
import type { ArchiveFragment, ByteSpan } from './archive-playlist.ts';

/** Where the archive of one stream comes from. Rejections are ApiErrors, or the signal's reason. */
export interface ArchiveSource {
  /** What is recorded between two moments, in order; empty when nothing is. */
  playlist(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly ArchiveFragment[]>;
  bytes(span: ByteSpan, signal: AbortSignal): Promise<Uint8Array>;
  /** The first interval that can be played and ends after a moment. */
  nextPlayable(fromMs: number, signal: AbortSignal): Promise<Interval | undefined>;
  /** The last interval that can be played and begins before a moment. */
  previousPlayable(beforeMs: number, signal: AbortSignal): Promise<Interval | undefined>;
}
