import type { StreamState } from './entities.ts';
import type { JournalEntry } from './journal.ts';

/** What `GET /v1/events` sends, by the name of the event. Types only. */
export interface ServerEvents {
  /** First, and after a gap that could not be filled: everything that was read before may have changed. */
  readonly reload: Record<string, never>;
  /** The states of these streams have changed, as in `listStreamStatuses`. */
  readonly statuses: { readonly items: readonly StreamState[] };
  /** A stream was added, removed or saved, or rights on one have changed: lists of streams may have. */
  readonly streams: Record<string, never>;
  /** Entries were added or have changed, as in `listJournal`; annotations among them. */
  readonly journal: { readonly items: readonly JournalEntry[] };
  /** The warnings of `getHealth` may have changed. */
  readonly health: Record<string, never>;
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
