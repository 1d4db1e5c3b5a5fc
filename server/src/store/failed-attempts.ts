import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';

/**
 * A failure dated further in the future than this was recorded before the clock was set back, and does not
 * count: otherwise it would lock users out until the clock shows that time again. Clocks of nodes differ by
 * less.
 */
const clockStepMs = 300_000;

/** The failures of one key that still count. */
export interface FailureCount {
  readonly count: number;
  /** When the last one was added, ms since the epoch. */
  readonly lastMs: number;
  readonly expiresMs: number;
}

/** Failed attempts by key, shared by all nodes on the database: guesses on one node count on the others. */
export class FailedAttempts {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** Failures of the keys that count at the given time. */
  async of(keys: readonly string[], nowMs: number): Promise<Map<string, FailureCount>> {
    const rows = await this.#db
      .selectFrom('failed_attempts')
      .selectAll()
      .where('key', 'in', keys)
      .where('expires_ms', '>', nowMs)
      .where('last_ms', '<=', nowMs + clockStepMs)
      .execute();
    return new Map(
      rows.map((row) => [row.key, { count: row.count, lastMs: row.last_ms, expiresMs: row.expires_ms }]),
    );
  }

  /**
   * Counts one failure of a key and returns how many there are now.
   * @param slides whether every failure restarts the window after which they are forgotten; otherwise it starts
   * with the first
   */
  async add(key: string, nowMs: number, keepMs: number, slides: boolean): Promise<number> {
    const isOver = sql<boolean>`failed_attempts.expires_ms <= ${nowMs}
      or failed_attempts.last_ms > ${nowMs + clockStepMs}`;
    const expiresMs = nowMs + keepMs;
    const row = await this.#db
      .insertInto('failed_attempts')
      .values({ key, count: 1, last_ms: nowMs, expires_ms: expiresMs })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql`case when ${isOver} then 1 else failed_attempts.count + 1 end`,
          last_ms: nowMs,
          expires_ms: slides
            ? expiresMs
            : sql`case when ${isOver} then ${expiresMs} else failed_attempts.expires_ms end`,
        }),
      )
      .returning('count')
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /** Removes one failure of each key. */
  async takeBack(keys: readonly string[]): Promise<void> {
    await this.#db
      .updateTable('failed_attempts')
      .set({ count: sql`count - 1` })
      .where('key', 'in', keys)
      .where('count', '>', 0)
      .execute();
  }

  async clear(key: string): Promise<void> {
    await this.#db.deleteFrom('failed_attempts').where('key', '=', key).execute();
  }

  async prune(nowMs: number): Promise<void> {
    await this.#db
      .deleteFrom('failed_attempts')
      .where((row) => row.or([row('expires_ms', '<=', nowMs), row('last_ms', '>', nowMs + clockStepMs)]))
      .execute();
  }
}
