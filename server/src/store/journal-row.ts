import type { JournalDetail, JournalKind } from '@vidette/contract/journal';
import type { Generated } from 'kysely';
import { flagColumn, jsonColumn, rowMapping, type Flag } from './row-mapping.ts';

export interface JournalRow {
  id: Generated<number>;
  /** Grows with every write of any row: what changed since is read by it. */
  revision: number;
  kind: JournalKind;
  /** Unique among the entries of the kind: what is reported twice is one entry. */
  entry_key: string;
  /** Null: it concerns the server. */
  stream_id: number | null;
  /** The only user who may see it; null: as the kind says. */
  user_id: number | null;
  start_ms: number;
  end_ms: number | null;
  /** Unique; identifies what is going on. Null: the entry is a moment, or has ended. */
  open_key: string | null;
  /** JSON. */
  detail: string;
  note: string;
  /** What a search for text looks at, besides the stream's name; lower case. */
  search_key: string;
  is_reviewed: Flag;
}

/** An entry of the journal. Times are milliseconds since the epoch. */
export interface JournalRecord {
  readonly id: number;
  readonly revision: number;
  readonly kind: JournalKind;
  readonly key: string;
  readonly streamId: number | null;
  readonly userId: number | null;
  readonly startMs: number;
  /** Null: a moment, or still going on. */
  readonly endMs: number | null;
  readonly openKey: string | null;
  readonly detail: JournalDetail;
  readonly note: string;
  readonly isReviewed: boolean;
}

export const journalMapping = rowMapping<JournalRow, JournalRecord>({
  id: 'id',
  revision: 'revision',
  kind: 'kind',
  key: 'entry_key',
  streamId: 'stream_id',
  userId: 'user_id',
  startMs: 'start_ms',
  endMs: 'end_ms',
  openKey: 'open_key',
  detail: jsonColumn('detail'),
  note: 'note',
  isReviewed: flagColumn('is_reviewed'),
});
