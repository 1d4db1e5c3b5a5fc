import type { Interval } from '../timeline/intervals.ts';
import type { ArchiveFragment, ByteSpan } from './archive-playlist.ts';

/** The source of one stream's archive. Rejections are ApiErrors, or the signal's reason. */
export interface ArchiveSource {
  /** The recorded fragments between two moments, in order; empty when there are none. */
  playlist(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly ArchiveFragment[]>;
  bytes(span: ByteSpan, signal: AbortSignal): Promise<Uint8Array>;
  /** The first playable interval that ends after a moment. */
  nextPlayable(fromMs: number, signal: AbortSignal): Promise<Interval | undefined>;
  /** The last playable interval that begins before a moment. */
  previousPlayable(beforeMs: number, signal: AbortSignal): Promise<Interval | undefined>;
}
