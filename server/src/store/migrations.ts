import { sql, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { accessChanges } from './access-triggers.ts';
import type { Engine } from './database.ts';
import { renewSortKeys, sortKeyColumns } from './sort-keys.ts';

export interface MigrationStep extends Migration {
  /**
   * Whether a version that does not know this step can run beside those that do: nothing that it reads is
   * removed or changes its meaning, and its writes are complete.
   */
  readonly isAdditive?: true;
}

/**
 * Every step from an empty database to the current schema, by name, in order. A released step is never changed.
 */
export function migrationsFor(engine: Engine): Record<string, MigrationStep> {
  return {
    '0001_first': { up: (db) => first(db as Kysely<unknown>, engine) },
    '0002_share_embeds': { up: (db) => shareEmbeds(db as Kysely<unknown>) },
    '0003_motion': { up: (db) => motion(db as Kysely<unknown>) },
    '0004_preferences': { up: (db) => preferences(db as Kysely<unknown>) },
    '0005_nodes': { up: (db) => nodes(db as Kysely<unknown>) },
    '0006_audit_by_time': { up: (db) => auditByTime(db as Kysely<unknown>) },
    '0007_exports': { up: (db) => exports(db as Kysely<unknown>, engine) },
    '0008_cluster': { up: (db) => cluster(db as Kysely<unknown>) },
    '0009_far_archive': { up: (db) => farArchive(db as Kysely<unknown>), isAdditive: true },
    '0010_user_conversion': { up: (db) => userConversion(db as Kysely<unknown>), isAdditive: true },
    '0011_stream_zone': { up: (db) => streamZone(db as Kysely<unknown>), isAdditive: true },
    '0012_node_reports': { up: (db) => nodeReports(db as Kysely<unknown>), isAdditive: true },
    '0016_accounts': { up: (db) => accounts(db as Kysely<unknown>), isAdditive: true },
    '0018_access_changes': { up: (db) => accessChanges(db as Kysely<unknown>, engine), isAdditive: true },
    '0019_node_clocks': { up: (db) => nodeClocks(db as Kysely<unknown>), isAdditive: true },
    '0020_journal': { up: (db) => journal(db as Kysely<unknown>, engine), isAdditive: true },
    '0022_notifications': { up: (db) => notifications(db as Kysely<unknown>, engine), isAdditive: true },
    '0024_push_devices': { up: (db) => pushDevices(db as Kysely<unknown>), isAdditive: true },
    '0025_rule_exports': { up: (db) => ruleExports(db as Kysely<unknown>, engine), isAdditive: true },
    '0026_holds': { up: (db) => holds(db as Kysely<unknown>, engine), isAdditive: true },
    '0028_audit_names': { up: (db) => auditNames(db as Kysely<unknown>), isAdditive: true },
    '0029_digest_exports': { up: (db) => digestExports(db as Kysely<unknown>), isAdditive: true },
    '0030_sort_keys': { up: (db) => sortKeys(db as Kysely<unknown>), isAdditive: true },
  };
}

async function first(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);
  const withId = (name: string) =>
    table(name).addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    );

  await withId('users')
    .addColumn('login', 'text', required)
    .addColumn('login_key', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', required)
    .addColumn('email_key', 'text', required)
    .addColumn('full_name', 'text', required)
    .addColumn('full_name_key', 'text', required)
    .addColumn('language', 'text', required)
    .addColumn('password_hash', 'text')
    .addColumn('is_admin', 'integer', required)
    .addColumn('max_stream_creation', 'integer', required)
    .addColumn('is_managed', 'integer', required)
    .addColumn('must_change_password', 'integer', required)
    .addColumn('is_blocked', 'integer', required)
    .addColumn('created_ms', 'bigint', required)
    .addColumn('last_seen_ms', 'bigint')
    .execute();
  await index(db, 'users', ['email_key']);

  await table('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('created_ms', 'bigint', required)
    .addColumn('last_seen_ms', 'bigint', required)
    .addColumn('ip', 'text', required)
    .addColumn('user_agent', 'text', required)
    .execute();
  await index(db, 'sessions', ['user_id', 'last_seen_ms']);

  await withId('tokens')
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('name', 'text', required)
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_ms', 'bigint', required)
    .addColumn('expires_ms', 'bigint')
    .addColumn('last_used_ms', 'bigint')
    .execute();
  await index(db, 'tokens', ['user_id']);

  await streamTables(db, withId, table);
  await mediaTables(db, withId);

  await table('settings')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', required)
    .execute();

  await withId('audit')
    .addColumn('time_ms', 'bigint', required)
    .addColumn('login', 'text')
    .addColumn('ip', 'text', required)
    .addColumn('action', 'text', required)
    .addColumn('target', 'text')
    .addColumn('outcome', 'text', required)
    .addColumn('details', 'text', required)
    .execute();
  for (const column of ['time_ms', 'login', 'action', 'target']) await index(db, 'audit', [column, 'id']);

  await table('reset_codes')
    .addColumn('user_id', 'integer', (column) =>
      column.primaryKey().references('users.id').onDelete('cascade'),
    )
    .addColumn('code_hash', 'text', required)
    .addColumn('expires_ms', 'bigint', required)
    .addColumn('tries', 'integer', required)
    .execute();
}

type NewTable = (name: string) => CreateTableBuilder<string>;

async function streamTables(db: Kysely<unknown>, withId: NewTable, table: NewTable): Promise<void> {
  await withId('streams')
    .addColumn('uid', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', required)
    .addColumn('name_key', 'text', required)
    .addColumn('source', 'text', required)
    .addColumn('sub_source', 'text')
    .addColumn('location_name', 'text', required)
    .addColumn('location_key', 'text', required)
    .addColumn('latitude', 'double precision')
    .addColumn('longitude', 'double precision')
    .addColumn('marker', 'text')
    .addColumn('is_on_demand', 'integer', required)
    .addColumn('is_recorded', 'integer', required)
    .addColumn('depth_hours', 'integer', required)
    .addColumn('is_paused', 'integer', required)
    .addColumn('allows_loopback', 'integer', required)
    .addColumn('search_text', 'text', required)
    .addColumn('created_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('created_ms', 'bigint', required)
    .addColumn('revision', 'integer', required)
    .addColumn('node_id', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('share_key', 'text', (column) => column.unique())
    .execute();
  await index(db, 'streams', ['name_key', 'id']);
  await index(db, 'streams', ['created_by']);
  await index(db, 'streams', ['status', 'name_key', 'id']);
  await index(db, 'streams', ['created_ms', 'id']);
  await index(db, 'streams', ['location_key', 'name_key', 'id']);

  await table('stream_tags')
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('tag', 'text', required)
    .addColumn('tag_key', 'text', required)
    .addColumn('position', 'integer', required)
    .addPrimaryKeyConstraint('stream_tags_primary', ['stream_id', 'tag_key'])
    .execute();
  await index(db, 'stream_tags', ['tag_key', 'stream_id']);

  await table('permissions')
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('can_view', 'integer', required)
    .addColumn('can_archive', 'integer', required)
    .addColumn('can_share', 'integer', required)
    .addColumn('can_edit', 'integer', required)
    .addPrimaryKeyConstraint('permissions_primary', ['user_id', 'stream_id'])
    .execute();
  await index(db, 'permissions', ['stream_id', 'user_id']);
}

async function mediaTables(db: Kysely<unknown>, withId: NewTable): Promise<void> {
  await withId('mosaics')
    .addColumn('name', 'text', required)
    .addColumn('name_key', 'text', required)
    .addColumn('layout', 'text', required)
    .addColumn('is_shared', 'integer', required)
    .addColumn('rotation_seconds', 'integer', required)
    .addColumn('created_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('created_ms', 'bigint', required)
    .execute();
  await index(db, 'mosaics', ['created_by', 'name_key']);
  await index(db, 'mosaics', ['is_shared', 'name_key']);

  await withId('bookmarks')
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('user_id', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('start_ms', 'bigint', required)
    .addColumn('end_ms', 'bigint')
    .addColumn('note', 'text', required)
    .addColumn('note_key', 'text', required)
    .addColumn('created_ms', 'bigint', required)
    .execute();
  await index(db, 'bookmarks', ['stream_id', 'start_ms']);
  await index(db, 'bookmarks', ['start_ms', 'id']);

  await withId('annotations')
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('type', 'text', required)
    .addColumn('kind', 'text', required)
    .addColumn('start_ms', 'bigint', required)
    .addColumn('end_ms', 'bigint')
    .addColumn('note', 'text', required)
    .execute();
  await index(db, 'annotations', ['stream_id', 'start_ms']);
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull();
}

function ofUser(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('users.id').onDelete('cascade');
}

function ofStream(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('streams.id').onDelete('cascade');
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}

async function shareEmbeds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('streams')
    .addColumn('share_embeds', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

async function motion(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('streams')
    .addColumn('finds_motion', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

async function preferences(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('preferences', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}

async function nodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', required)
    .addColumn('name_key', 'text', required)
    .addColumn('is_drained', 'integer', required)
    .addColumn('version', 'text', required)
    .addColumn('joined_ms', 'bigint', required)
    .addColumn('started_ms', 'bigint', required)
    .addColumn('last_seen_ms', 'bigint', required)
    .execute();
  await index(db, 'streams', ['node_id']);
}

/**
 * The audit log is read in chronological order, with one or two filters: an index finds the page, however long
 * the log. With two filters only the rows that match both are scanned.
 */
async function auditByTime(db: Kysely<unknown>): Promise<void> {
  for (const column of ['login', 'action', 'target']) {
    await db.schema.dropIndex(`audit_by_${column}_id`).execute();
    await index(db, 'audit', [column, 'time_ms', 'id']);
  }
  for (const pair of [
    ['login', 'action'],
    ['login', 'target'],
    ['action', 'target'],
  ]) {
    await index(db, 'audit', [...pair, 'time_ms', 'id']);
  }
}

async function exports(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('exports')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('name', 'text', required)
    .addColumn('streams', 'text', required)
    .addColumn('start_ms', 'bigint', required)
    .addColumn('end_ms', 'bigint', required)
    .addColumn('status', 'text', required)
    .addColumn('failure', 'text')
    .addColumn('expected_bytes', 'bigint', required)
    .addColumn('package_bytes', 'bigint')
    .addColumn('created_ms', 'bigint', required)
    .addColumn('expires_ms', 'bigint')
    .execute();
  await index(db, 'exports', ['user_id', 'id']);
  await index(db, 'exports', ['status', 'id']);
  await db.schema
    .createTable('export_files')
    .addColumn('export_id', 'integer', (column) =>
      column.notNull().references('exports.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', required)
    .addColumn('facts', 'text', required)
    .addPrimaryKeyConstraint('export_files_key', ['export_id', 'position'])
    .execute();
}

/** The state of a node and its streams that it reports to the others (design/cluster.md). */
async function nodeReports(db: Kysely<unknown>): Promise<void> {
  for (const column of ['failure_code', 'failure_reason']) {
    await db.schema.alterTable('streams').addColumn(column, 'text').execute();
  }
  await db.schema
    .alterTable('nodes')
    .addColumn('cannot_record', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

/** The offset of each node's clock from the database's (design/cluster.md). */
async function nodeClocks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('clock_ahead_ms', 'bigint').execute();
}

/**
 * Several nodes on one database (design/cluster.md). All defaults work for a version that does not know the
 * columns.
 */
async function cluster(db: Kysely<unknown>): Promise<void> {
  const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
  for (const column of ['address', 'public_key', 'run_id']) {
    await db.schema.alterTable('nodes').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('nodes').addColumn('lease_until_ms', 'bigint', zero).execute();
  await db.schema.alterTable('nodes').addColumn('capacity', 'integer').execute();
  await db.schema.alterTable('nodes').addColumn('active_streams', 'integer', zero).execute();

  await db.schema.alterTable('streams').addColumn('epoch', 'integer', zero).execute();
  await db.schema.alterTable('streams').addColumn('next_node_id', 'text').execute();
  await db.schema.alterTable('streams').addColumn('handover_ms', 'bigint').execute();
  await db.schema.alterTable('streams').addColumn('changed', 'bigint', zero).execute();

  await db.schema.alterTable('exports').addColumn('node_id', 'text').execute();

  await db.schema
    .createTable('stream_nodes')
    .addColumn('stream_uid', 'text', required)
    .addColumn('epoch', 'integer', required)
    .addColumn('node_id', 'text', required)
    .addColumn('from_ms', 'bigint', required)
    .addColumn('to_ms', 'bigint')
    .addPrimaryKeyConstraint('stream_nodes_primary', ['stream_uid', 'epoch'])
    .execute();
  await sql`insert into stream_nodes (stream_uid, epoch, node_id, from_ms)
    select uid, 0, node_id, created_ms from streams`.execute(db);

  await db.schema
    .createTable('stream_purges')
    .addColumn('stream_uid', 'text', required)
    .addColumn('node_id', 'text', required)
    .addPrimaryKeyConstraint('stream_purges_primary', ['stream_uid', 'node_id'])
    .execute();

  await db.schema
    .createTable('cluster')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'bigint', required)
    .addColumn('leader_id', 'text')
    .addColumn('leader_until_ms', 'bigint', required)
    .execute();
  await sql`insert into cluster (id, version, leader_until_ms) values (1, 0, 0)`.execute(db);
}

async function farArchive(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('streams')
    .addColumn('far_after_hours', 'integer', (column) => column.notNull().defaultTo(-1))
    .execute();
}

async function userConversion(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('can_convert', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

async function streamZone(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('streams').addColumn('time_zone', 'text').execute();
}

/** Recent proof of the password, who granted which right, and failed sign-ins (design/permissions.md). */
async function accounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session_proofs')
    .addColumn('session_id', 'text', (column) =>
      column.primaryKey().references('sessions.id').onDelete('cascade'),
    )
    .addColumn('proved_ms', 'bigint', required)
    .execute();

  await db.schema
    .createTable('grants')
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('granter_id', 'integer', required)
    .addColumn('login_key', 'text', required)
    .addColumn('user_id', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('can_view', 'integer', required)
    .addColumn('can_archive', 'integer', required)
    .addColumn('can_share', 'integer', required)
    .addColumn('can_edit', 'integer', required)
    .addPrimaryKeyConstraint('grants_primary', ['stream_id', 'granter_id', 'login_key'])
    .execute();
  await index(db, 'grants', ['user_id', 'stream_id']);
  await sql`insert into grants
    select stream_id, 0, '#' || user_id, user_id, can_view, can_archive, can_share, can_edit from permissions`.execute(
    db,
  );

  await db.schema
    .createTable('failed_attempts')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', required)
    .addColumn('last_ms', 'bigint', required)
    .addColumn('expires_ms', 'bigint', required)
    .execute();
  await index(db, 'failed_attempts', ['expires_ms']);
}

/**
 * What happened (design/events.md). It is read in chronological order, with a stream or a kind; the revision is what
 * other nodes follow.
 */
async function journal(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('journal')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('revision', 'bigint', required)
    .addColumn('kind', 'text', required)
    .addColumn('entry_key', 'text', required)
    .addColumn('stream_id', 'integer', (column) => column.references('streams.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('start_ms', 'bigint', required)
    .addColumn('end_ms', 'bigint')
    .addColumn('open_key', 'text', (column) => column.unique())
    .addColumn('detail', 'text', required)
    .addColumn('note', 'text', required)
    .addColumn('search_key', 'text', required)
    .addColumn('is_reviewed', 'integer', required)
    .addUniqueConstraint('journal_once', ['kind', 'entry_key'])
    .execute();
  await index(db, 'journal', ['revision']);
  await index(db, 'journal', ['start_ms', 'id']);
  await index(db, 'journal', ['kind', 'start_ms', 'id']);
  await index(db, 'journal', ['stream_id', 'start_ms', 'id']);
  await index(db, 'journal', ['stream_id', 'kind', 'start_ms', 'id']);
  await sql`create index journal_unreviewed on journal (start_ms, id) where is_reviewed = 0`.execute(db);
  await sql`create index journal_of_users on journal (user_id) where user_id is not null`.execute(db);
}

/** Rules, the targets that they notify, and the notifications on their way (design/notifications.md). */
async function notifications(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const withId = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
        engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
      );
  await withId('rules')
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('name', 'text', required)
    .addColumn('is_enabled', 'integer', required)
    .addColumn('definition', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('due_ms', 'bigint')
    .addColumn('created_ms', 'bigint', required)
    .addColumn('fired_ms', 'bigint')
    .execute();
  await index(db, 'rules', ['user_id']);
  await index(db, 'rules', ['due_ms']);
  await withId('notification_targets')
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('name', 'text', required)
    .addColumn('settings', 'text', required)
    .addColumn('secret', 'text')
    .addColumn('created_ms', 'bigint', required)
    .addColumn('accepted_ms', 'bigint')
    .addColumn('failing_ms', 'bigint')
    .addColumn('failures', 'integer', required)
    .addColumn('retry_ms', 'bigint', required)
    .addColumn('failure', 'text', required)
    .addColumn('dropped', 'integer', required)
    .addColumn('lease_node', 'text')
    .addColumn('lease_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await index(db, 'notification_targets', ['user_id']);
  await withId('outbox')
    .addColumn('target_id', 'integer', (column) =>
      column.notNull().references('notification_targets.id').onDelete('cascade'),
    )
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('payload', 'text', required)
    .addColumn('created_ms', 'bigint', required)
    .addColumn('refusals', 'integer', required)
    .execute();
  await index(db, 'outbox', ['target_id', 'id']);
}

/** Browsers as targets of notifications: each only once, and until its session is ended. */
async function pushDevices(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('notification_targets').addColumn('device_key', 'text').execute();
  await db.schema.alterTable('notification_targets').addColumn('session_id', 'text').execute();
  await sql`create unique index notification_targets_by_device on notification_targets (device_key)`.execute(
    db,
  );
  await index(db, 'notification_targets', ['session_id']);
}

/** Exports that rules want, until their footage exists. */
async function ruleExports(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('rule_exports')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('rule_name', 'text', required)
    .addColumn('entry_id', 'integer', required)
    .addColumn('lead_seconds', 'integer', required)
    .addColumn('trail_seconds', 'integer', required)
    .addColumn('created_ms', 'bigint', required)
    .addColumn('due_ms', 'bigint')
    .execute();
  await index(db, 'rule_exports', ['user_id', 'created_ms']);
  await index(db, 'rule_exports', ['due_ms']);
}

/** Footage that rules hold. */
async function holds(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('holds')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'serial', (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('stream_id', 'integer', ofStream)
    .addColumn('user_id', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('rule_name', 'text', required)
    .addColumn('entry_id', 'integer', required)
    .addColumn('start_ms', 'bigint', required)
    .addColumn('end_ms', 'bigint', required)
    .addColumn('trail_seconds', 'integer')
    .addColumn('until_ms', 'bigint', required)
    .addColumn('created_ms', 'bigint', required)
    .addColumn('end_cause', 'text')
    .execute();
  await index(db, 'holds', ['stream_id']);
  await index(db, 'holds', ['until_ms']);
}

/** What the objects of audited actions were called then, and which entries no person made. */
async function auditNames(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('audit').addColumn('target_name', 'text').execute();
  await db.schema
    .alterTable('audit')
    .addColumn('is_machine', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await index(db, 'audit', ['target_name', 'time_ms', 'id']);
  await sql`update audit set is_machine = 1 where action in ('watchStills', 'mqttRecording', 'previewRule')`.execute(
    db,
  );
}

/** What an export that is a digest shows. */
async function digestExports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('exports')
    .addColumn('digest', 'text', (column) => column.notNull().defaultTo('null'))
    .execute();
}

/** The order of names that people expect: "Camera 2" before "Camera 10". */
async function sortKeys(db: Kysely<unknown>): Promise<void> {
  for (const { table, sort } of sortKeyColumns) {
    await db.schema
      .alterTable(table)
      .addColumn(sort, 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  }
  await renewSortKeys(db);
  await db.schema.dropIndex('streams_by_status_name_key_id').execute();
  await db.schema.dropIndex('streams_by_location_key_name_key_id').execute();
  await index(db, 'streams', ['name_sort', 'id']);
  await index(db, 'streams', ['status', 'name_sort', 'id']);
  await index(db, 'streams', ['location_sort', 'name_sort', 'id']);
}
