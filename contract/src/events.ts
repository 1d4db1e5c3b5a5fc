import type { StreamState } from './entities.ts';
import type { JournalEntry } from './journal.ts';

/** What an event says of a stream, as `listStreamStatuses` would; `failureReason` is left out if null, `nodeAvailable` if true. */
export type StreamNews = Pick<StreamState, 'uid' | 'status'> &
  Partial<Pick<StreamState, 'failureReason' | 'nodeAvailable'>>;

/** What an event says of an entry; the rest is in `listJournal`. */
export type JournalNews = Pick<JournalEntry, 'id' | 'kind' | 'stream' | 'startTime' | 'endTime'>;

/** What `GET /v1/events` sends, by the name of the event. Types only. */
export interface ServerEvents {
  /** First, and after a gap that could not be filled: everything that was read before may have changed. */
  readonly reload: Record<string, never>;
  /** The states of these streams have changed. */
  readonly statuses: { readonly items: readonly StreamNews[] };
  /** A stream was added, removed or saved, or rights on one have changed: lists of streams may have. */
  readonly streams: Record<string, never>;
  /** Entries were added or have changed, annotations among them. */
  readonly journal: { readonly items: readonly JournalNews[] };
  /**
   * The warnings of `getHealth` have changed; `ofStreams`: those about streams, which is sent up to 20 s later while it is
   * frequent.
   */
  readonly health: { readonly ofStreams?: true };
  /** An export of the caller was added, has progressed or ended. */
  readonly exports: Record<string, never>;
  /** A mosaic that the caller may see was added, changed or removed. */
  readonly mosaics: Record<string, never>;
  /** The caller's account, sessions, tokens or rights have changed. */
  readonly account: Record<string, never>;
  /** A node of the cluster has changed; for administrators. */
  readonly nodes: Record<string, never>;
}

export type ServerEventName = keyof ServerEvents;
