import type { ExportFailure } from '@vidette/contract/entities';
import type { HoldEndCause } from '@vidette/contract/constants';
import type { Generated } from 'kysely';
import type { JournalRow } from './journal-row.ts';
import type { Flag } from './row-mapping.ts';
import type { StreamRow } from './stream-row.ts';

/** The engine that stores the tables. */
export type Engine = 'sqlite' | 'postgres';

// The tables. Portable between SQLite and PostgreSQL: flags are 0 or 1, times are milliseconds since the epoch in a bigint, text that
// users search by has a lower-case copy beside it (`..._key`), because SQLite folds ASCII only, and text that they sort by has a
// second one in which numbers are in the order of their values (`..._sort`). Nothing outside the store sees a row: each module of
// the store maps its table's rows to types of its own.

export interface UserRow {
  id: Generated<number>;
  login: string;
  /** Unique: logins that differ only in case are the same. */
  login_key: string;
  login_sort: Generated<string>;
  email: string;
  email_key: string;
  full_name: string;
  full_name_key: string;
  language: 'en' | 'ru';
  /** PHC string; null when the password is managed elsewhere. */
  password_hash: string | null;
  is_admin: Flag;
  /** 0: read-only; -1: no limit. */
  max_stream_creation: number;
  /** Whether this viewer gets transcoding, if it is configured for all viewers. */
  can_convert: Generated<Flag>;
  is_managed: Flag;
  must_change_password: Flag;
  is_blocked: Flag;
  created_ms: number;
  last_seen_ms: number | null;
  /** JSON: the user's own settings; missing ones have their defaults. */
  preferences: Generated<string>;
}

export interface SessionRow {
  /** Public: names the session in lists, grants no access. */
  id: string;
  /** SHA-256 of the secret in the cookie, hex. */
  secret_hash: string;
  user_id: number;
  created_ms: number;
  last_seen_ms: number;
  ip: string;
  user_agent: string;
}

/** When the password was last entered in a session. */
interface SessionProofRow {
  session_id: string;
  proved_ms: number;
}

export interface TokenRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  secret_hash: string;
  created_ms: number;
  expires_ms: number | null;
  last_used_ms: number | null;
}

interface StreamTagRow {
  stream_id: number;
  tag: string;
  tag_key: string;
  tag_sort: Generated<string>;
  position: number;
}

interface PermissionRow {
  user_id: number;
  stream_id: number;
  can_view: Flag;
  can_archive: Flag;
  can_share: Flag;
  can_edit: Flag;
}

/**
 * A right as it was granted, under the login that was entered; `permissions` contains the union of these. An
 * unknown login has a row too, so that a granter who may not know which logins exist can't see the difference.
 */
export interface GrantRow {
  stream_id: number;
  /** 0: the administrators. */
  granter_id: number;
  login_key: string;
  /** Null: the login was unknown when it was entered, or the user has been deleted. */
  user_id: number | null;
  can_view: Flag;
  can_archive: Flag;
  can_share: Flag;
  can_edit: Flag;
}

/** Failures of one kind under one key, such as sign-ins from one network. */
interface FailedAttemptRow {
  /** SHA-256, hex: what users type as a login is often a password. */
  key: string;
  count: number;
  last_ms: number;
  expires_ms: number;
}

export interface MosaicRow {
  id: Generated<number>;
  name: string;
  name_key: string;
  name_sort: Generated<string>;
  /** JSON of the contract's MosaicLayout. */
  layout: string;
  is_shared: Flag;
  rotation_seconds: number;
  created_by: number | null;
  created_ms: number;
}

export interface BookmarkRow {
  id: Generated<number>;
  stream_id: number;
  user_id: number | null;
  start_ms: number;
  end_ms: number | null;
  note: string;
  note_key: string;
  created_ms: number;
}

export interface AnnotationRow {
  id: Generated<number>;
  stream_id: number;
  type: string;
  kind: string;
  start_ms: number;
  end_ms: number | null;
  note: string;
}

export interface ExportRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** JSON: uid and name of each stream, as they were when the export was requested. */
  streams: string;
  start_ms: number;
  end_ms: number;
  status: 'queued' | 'running' | 'ready' | 'failed' | 'cancelled';
  failure: ExportFailure | null;
  expected_bytes: number;
  /** Of the whole ZIP, once it is ready. */
  package_bytes: number | null;
  created_ms: number;
  expires_ms: number | null;
  /** The node that has its files; null: made when there was only one node. */
  node_id: Generated<string | null>;
  /** JSON: what a digest shows; null for a package. */
  digest: Generated<string>;
}

/** A file of a package that is complete and flushed. */
export interface ExportFileRow {
  export_id: number;
  /** From 0, in the order of the package. */
  position: number;
  /** JSON of its entry in the manifest. */
  facts: string;
}

export interface RuleRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  is_enabled: Flag;
  /** JSON: the conditions and actions. */
  definition: string;
  /** JSON: what it remembers between events. */
  state: string;
  /** When an event has lasted long enough; null: it waits for none. */
  due_ms: number | null;
  created_ms: number;
  fired_ms: number | null;
}

export interface HoldRow {
  id: Generated<number>;
  stream_id: number;
  /** Owner of the rule; null: deleted. */
  user_id: number | null;
  rule_name: string;
  /** Of the journal. */
  entry_id: number;
  start_ms: number;
  /** While the event goes on, the latest possible end. */
  end_ms: number;
  /** To keep after the end of the event; null: its end is known. */
  trail_seconds: number | null;
  until_ms: number;
  created_ms: number;
  /** It has ended for this cause, which the journal does not tell yet; null: it is in effect. */
  end_cause: HoldEndCause | null;
}

export interface RuleExportRow {
  id: Generated<number>;
  user_id: number;
  rule_name: string;
  /** Of the journal. */
  entry_id: number;
  lead_seconds: number;
  trail_seconds: number;
  created_ms: number;
  /** When to look at it next; null: done. */
  due_ms: number | null;
}

export interface NotificationTargetRow {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** JSON of the contract's TargetSettings. */
  settings: string;
  /** Sealed: signs its requests. */
  secret: string | null;
  created_ms: number;
  accepted_ms: number | null;
  /** The first failure since the last success. */
  failing_ms: number | null;
  failures: number;
  /** Nothing is sent before. */
  retry_ms: number;
  /** JSON: the last failure. */
  failure: string;
  dropped: number;
  /** SHA-256 of the address of a browser's push service, hex; null for other types. */
  device_key: Generated<string | null>;
  /** The session in which a browser was added; null: by an API token, or another type. */
  session_id: Generated<string | null>;
  /** The node that is sending to it, until `lease_ms`. */
  lease_node: Generated<string | null>;
  lease_ms: Generated<number>;
}

/** A notification that was not delivered yet. */
export interface OutboxRow {
  id: Generated<number>;
  target_id: number;
  /** Idempotency key; unique. */
  key: string;
  /** JSON. */
  payload: string;
  created_ms: number;
  refusals: number;
}

interface SettingRow {
  key: string;
  /** JSON. */
  value: string;
}

export interface AuditRow {
  id: Generated<number>;
  time_ms: number;
  login: string | null;
  ip: string;
  action: string;
  target: string | null;
  target_name: string | null;
  outcome: string;
  /** JSON, without secrets. */
  details: string;
  is_machine: Generated<Flag>;
}

export interface ResetCodeRow {
  user_id: number;
  code_hash: string;
  expires_ms: number;
  tries: number;
}

/** A server that shares this database, or did so earlier. */
export interface NodeRow {
  /** `node.id` of its configuration. */
  id: string;
  name: string;
  name_key: string;
  /** Drained: it runs no streams until draining is cancelled. */
  is_drained: Flag;
  /** Product version at its last start. */
  version: string;
  joined_ms: number;
  started_ms: number;
  last_seen_ms: number;
  /** Base URL at which its peers reach it; null: it has reported none. */
  address: Generated<string | null>;
  /** By which its peers identify it. */
  public_key: Generated<string | null>;
  /** Of the process that runs under this id: distinguishes a second one under the same id. */
  run_id: Generated<string | null>;
  /** When its lease expires, by the database's clock. */
  lease_until_ms: Generated<number>;
  /** The maximum number of streams that it runs; null: no limit. */
  capacity: Generated<number | null>;
  /** Number of streams for which it held a source or a recorder at the last renewal. */
  active_streams: Generated<number>;
  /** Its disk can't be written: its streams should move to another node. */
  cannot_record: Generated<Flag>;
  /** How far its clock is ahead of the database's, ms; null: not compared yet. */
  clock_ahead_ms: Generated<number | null>;
}

/**
 * The period during which a node had a stream, by the database's clock; its footage may extend some seconds
 * beyond.
 */
interface StreamNodeRow {
  stream_uid: string;
  epoch: number;
  node_id: string;
  from_ms: number;
  /** Null: the node still has the stream. */
  to_ms: Generated<number | null>;
}

/** A removed stream whose footage a node has not deleted yet. */
interface StreamPurgeRow {
  stream_uid: string;
  node_id: string;
}

/** One row for all nodes. */
interface ClusterRow {
  id: number;
  /** Counts the changes that nodes must read: of streams, their assignments and their statuses. */
  version: number;
  /** The node that assigns streams, until `leader_until_ms` by the database's clock. */
  leader_id: string | null;
  leader_until_ms: number;
}

export interface Database {
  users: UserRow;
  sessions: SessionRow;
  session_proofs: SessionProofRow;
  tokens: TokenRow;
  streams: StreamRow;
  stream_tags: StreamTagRow;
  permissions: PermissionRow;
  grants: GrantRow;
  failed_attempts: FailedAttemptRow;
  mosaics: MosaicRow;
  bookmarks: BookmarkRow;
  annotations: AnnotationRow;
  journal: JournalRow;
  exports: ExportRow;
  export_files: ExportFileRow;
  rules: RuleRow;
  rule_exports: RuleExportRow;
  holds: HoldRow;
  notification_targets: NotificationTargetRow;
  outbox: OutboxRow;
  settings: SettingRow;
  audit: AuditRow;
  reset_codes: ResetCodeRow;
  nodes: NodeRow;
  stream_nodes: StreamNodeRow;
  stream_purges: StreamPurgeRow;
  cluster: ClusterRow;
}
