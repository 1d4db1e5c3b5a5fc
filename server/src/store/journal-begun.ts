import type { JournalKind } from '@vidette/contract/journal';
import type { Selectable, Transaction } from 'kysely';
import type { Database } from './database.ts';
import { journalMapping, type JournalRecord, type JournalRow } from './journal-row.ts';

/** What begins or ends, of a stream or of the server. */
interface Subject {
  readonly kind: JournalKind;
  /** Undefined: it ends. */
  readonly streamId: number | null | undefined;
  readonly openKey: string;
}

/**
 * The entries that changes of one transaction continue or end, read together: with thousands of streams that go dark at the same moment,
 * a query for each takes minutes on a busy machine, most of them spent on the way between two threads.
 */
export class BegunEntries {
  readonly #open = new Map<string, JournalRecord>();
  readonly #newest = new Map<string, JournalRecord>();

  static async read(db: Transaction<Database>, subjects: readonly Subject[]): Promise<BegunEntries> {
    const entries = new BegunEntries();
    const keys = [...new Set(subjects.map(({ openKey }) => openKey))];
    if (keys.length === 0) return entries;
    const open = await db.selectFrom('journal').selectAll().where('open_key', 'in', keys).execute();
    const streams = Map.groupBy(
      subjects.filter(({ streamId }) => typeof streamId === 'number'),
      ({ kind }) => kind,
    );
    const newest: Selectable<JournalRow>[] = [];
    for (const [kind, some] of streams) {
      const ids = some.flatMap(({ streamId }) => streamId ?? []);
      newest.push(...(await newestOf(db, kind, ids)));
    }
    for (const row of [...newest, ...open]) entries.note(journalMapping.read(row));
    return entries;
  }

  openAt(openKey: string): JournalRecord | undefined {
    return this.#open.get(openKey);
  }

  newestOf(kind: JournalKind, streamId: number): JournalRecord | undefined {
    return this.#newest.get(`${kind} ${streamId}`);
  }

  /** As it is now. @param before as it was */
  note(record: JournalRecord, before?: JournalRecord): void {
    if (before?.openKey && record.openKey !== before.openKey) this.#open.delete(before.openKey);
    if (record.openKey) this.#open.set(record.openKey, record);
    const { kind, streamId, startMs } = record;
    if (streamId === null) return;
    const known = this.newestOf(kind, streamId);
    if (!known || known.startMs <= startMs) this.#newest.set(`${kind} ${streamId}`, record);
  }
}

/** The newest entry of each stream, of one kind. */
function newestOf(db: Transaction<Database>, kind: JournalKind, streamIds: readonly number[]) {
  return db
    .selectFrom('journal')
    .selectAll()
    .where('id', 'in', (ids) =>
      ids
        .selectFrom('streams')
        .select((stream) =>
          stream
            .selectFrom('journal as newest')
            .select('newest.id')
            .whereRef('newest.stream_id', '=', 'streams.id')
            .where('newest.kind', '=', kind)
            .orderBy('newest.start_ms', 'desc')
            .limit(1)
            .as('id'),
        )
        .where('streams.id', 'in', streamIds),
    )
    .execute();
}
