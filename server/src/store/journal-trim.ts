import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';

/** What the journal keeps at most. */
export interface JournalBounds {
  /** Older entries are deleted, ms since the epoch. */
  readonly beforeMs: number;
  /** Of one stream; and of the server itself. */
  readonly perStream: number;
  readonly total: number;
}

/** Rows per statement: each is a transaction, and others get their turn between them. */
const batch = 2_000;
/** Streams that one run brings back to their bound; the next run takes the others. */
const streamsMax = 200;

/** Deletes the oldest entries beyond the bounds; what is going on stays. Resolves to their number. */
export async function trimJournal(db: Kysely<Database>, bounds: JournalBounds): Promise<number> {
  const { beforeMs, perStream, total } = bounds;
  let removed = await removeWhile(() =>
    sql`delete from journal where id in (
    select id from journal where start_ms < ${beforeMs} and open_key is null limit ${batch})`.execute(db),
  );
  const crowded = await sql<{ stream_id: number | null; n: number }>`select stream_id, count(*) as n
    from journal group by stream_id having count(*) > ${perStream} limit ${streamsMax}`.execute(db);
  for (const { stream_id: id, n } of crowded.rows) {
    const ofStream = id === null ? sql`stream_id is null` : sql`stream_id = ${id}`;
    removed += await removeOldest(db, ofStream, Number(n) - perStream);
  }
  const { rows } = await sql<{ n: number }>`select count(*) as n from journal`.execute(db);
  return removed + (await removeOldest(db, sql`1 = 1`, Number(rows[0]?.n ?? 0) - total));
}

async function removeOldest(
  db: Kysely<Database>,
  condition: ReturnType<typeof sql>,
  excess: number,
): Promise<number> {
  let left = excess;
  return removeWhile(async () => {
    if (left <= 0) return { numAffectedRows: 0n };
    const result = await sql`delete from journal where id in (select id from journal
      where ${condition} and open_key is null order by start_ms, id limit ${Math.min(left, batch)})`.execute(
      db,
    );
    left -= batch;
    return result;
  });
}

/** Repeats a statement until it deletes less than a batch. */
async function removeWhile(remove: () => Promise<{ readonly numAffectedRows?: bigint }>): Promise<number> {
  let removed = 0;
  for (;;) {
    const count = Number((await remove()).numAffectedRows ?? 0n);
    removed += count;
    if (count < batch) return removed;
  }
}
