import { ApiError } from '@vidette/contract/client';
import type { ArchiveSource } from './archive-source.ts';
import type { ByteSpan } from './archive-playlist.ts';
import type { PageClock } from '../base/clock.ts';
import { InitSegments } from './init-segments.ts';
import { KeyFragments } from './key-fragments.ts';
import { FragmentFinder } from './fragment-finder.ts';

/** Shared by everything that plays or previews one stream's archive: its source and the data known about it. */
export class ArchiveAccess {
  readonly source: ArchiveSource;
  readonly inits: InitSegments;
  readonly keys: KeyFragments;
  readonly fragments: Pick<FragmentFinder, 'at' | 'before'>;

  /** @param fragments finds fragments in another way than by windows of ten minutes */
  constructor(source: ArchiveSource, clock: PageClock, fragments?: ArchiveAccess['fragments']) {
    this.source = source;
    const load = (span: ByteSpan, signal: AbortSignal) => orUndefined(source.bytes(span, signal));
    this.inits = new InitSegments(load);
    this.keys = new KeyFragments(load, this.inits);
    this.fragments = fragments ?? new FragmentFinder(source, clock);
  }
}

/** Retention may delete a file between the playlist and the request for its bytes: then there is none. */
async function orUndefined<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
