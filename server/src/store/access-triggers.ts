import { sql, type Kysely } from 'kysely';
import type { Engine } from './database.ts';

/**
 * Migration 0018: the database itself records every change of access rights, whichever process makes it: a
 * node, another node, a command at the console. No statement can forget to announce a change.
 */

/** The source of a change, what is recorded of it, and which updates are ignored. */
interface TriggerSource {
  readonly table: 'users' | 'sessions' | 'tokens' | 'permissions' | 'streams';
  readonly event: 'insert' | 'update' | 'delete';
  /** The row that is recorded: `new` or `old`. */
  readonly userId: string | null;
  readonly streamUid: string | null;
  /** `unless`: the column that records only activity; `onlyIf`: the only column that matters. */
  readonly unless?: string;
  readonly onlyIf?: string;
}

const uidOf = (row: 'old' | 'new') => `(select uid from streams where id = ${row}.stream_id)`;

const sources: readonly TriggerSource[] = [
  { table: 'users', event: 'update', userId: 'old.id', streamUid: null, unless: 'last_seen_ms' },
  { table: 'users', event: 'delete', userId: 'old.id', streamUid: null },
  { table: 'sessions', event: 'update', userId: 'old.user_id', streamUid: null, unless: 'last_seen_ms' },
  { table: 'sessions', event: 'delete', userId: 'old.user_id', streamUid: null },
  { table: 'tokens', event: 'update', userId: 'old.user_id', streamUid: null, unless: 'last_used_ms' },
  { table: 'tokens', event: 'delete', userId: 'old.user_id', streamUid: null },
  { table: 'permissions', event: 'insert', userId: 'new.user_id', streamUid: uidOf('new') },
  { table: 'permissions', event: 'update', userId: 'old.user_id', streamUid: uidOf('old') },
  { table: 'permissions', event: 'delete', userId: 'old.user_id', streamUid: uidOf('old') },
  { table: 'streams', event: 'update', userId: null, streamUid: 'old.uid', onlyIf: 'share_key' },
  { table: 'streams', event: 'delete', userId: null, streamUid: 'old.uid' },
];

export async function accessChanges(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite';
  await db.schema
    .createTable('access_changes')
    .addColumn('id', isSqlite ? 'integer' : 'serial', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('user_id', 'integer')
    .addColumn('stream_uid', 'text')
    .execute();
  if (!isSqlite) {
    // Transactions do not become visible in the order of their row numbers: changes are tracked by transaction.
    await sql`alter table access_changes
      add column transaction_id xid8 not null default pg_current_xact_id()`.execute(db);
    await sql`create index access_changes_by_transaction_id on access_changes (transaction_id)`.execute(db);
  }
  for (const source of sources) await (isSqlite ? sqliteTrigger(db, source) : postgresTrigger(db, source));
}

async function sqliteTrigger(db: Kysely<unknown>, source: TriggerSource): Promise<void> {
  await sql
    .raw(
      `create trigger ${nameOf(source)} after ${source.event} on ${source.table} ${whenOf(source, 'is', 'is not')}
      begin ${insertOf(source)}; end`,
    )
    .execute(db);
}

async function postgresTrigger(db: Kysely<unknown>, source: TriggerSource): Promise<void> {
  const name = nameOf(source);
  await sql
    .raw(
      `create function ${name}() returns trigger language plpgsql as $$
      begin ${insertOf(source)}; return null; end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger ${name} after ${source.event} on ${source.table} for each row
      ${whenOf(source, 'is not distinct from', 'is distinct from')} execute function ${name}()`,
    )
    .execute(db);
}

function nameOf({ table, event }: TriggerSource): string {
  return `access_${table}_${event}`;
}

function whenOf({ unless, onlyIf }: TriggerSource, same: string, other: string): string {
  if (unless !== undefined) return `when (old.${unless} ${same} new.${unless})`;
  return onlyIf === undefined ? '' : `when (old.${onlyIf} ${other} new.${onlyIf})`;
}

function insertOf({ userId, streamUid }: TriggerSource): string {
  return `insert into access_changes (user_id, stream_uid) values (${userId ?? 'null'}, ${streamUid ?? 'null'})`;
}
