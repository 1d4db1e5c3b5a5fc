import { createHash } from 'node:crypto';
import type { Sample } from '@vidette/media/sample';

/** Where the recording of a stream ended, for a recorder in another process to continue there. */
export interface HandOverPoint {
  /** Of the key frame that was not recorded any more; absent when the recording ended for another reason. */
  readonly fingerprint?: string;
  /** When that frame begins, or the footage ended, by the session of the one that ended. Catalog ticks. */
  readonly atTicks: number;
  /** Added to that time in the catalog, ticks. */
  readonly shiftTicks: number;
}

/** Equal for the same frame in two sessions with one camera. */
export function fingerprintOf({ data }: Sample): string {
  const hash = createHash('sha256');
  for (const piece of data) hash.update(piece);
  return hash.digest('base64');
}
