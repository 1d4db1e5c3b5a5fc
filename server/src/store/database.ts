import type { Generated } from 'kysely';

/** What the tables live in. */
export type Engine = 'sqlite' | 'postgres';

/**
 * The tables. Portable between SQLite and PostgreSQL: flags are 0 or 1, times are milliseconds since the epoch in
 * a bigint, what people search or sort by has a lower-case copy beside it (`..._key`), for SQLite folds ASCII only.
 */
export type Flag = 0 | 1;

export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** The lower-case copy of what people type, composed the same way however they typed it. */
export function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export interface UserRow {
  id: Generated<number>;
  login: string;
  /** Unique: two logins that differ in case only are one. */
  login_key: string;
  email: string;
  email_key: string;
  full_name: string;
  full_name_key: string;
  language: 'en' | 'ru';
  /** PHC string; null when the password is kept elsewhere. */
  password_hash: string | null;
  is_admin: Flag;
  /** 0: read-only; -1: no limit. */
  max_stream_creation: number;
  /** Conversion of frames for this viewer, where it is for everyone. */
  can_convert: Generated<Flag>;
  is_managed: Flag;
  must_change_password: Flag;
  is_blocked: Flag;
  created_ms: number;
  last_seen_ms: number | null;
  /** JSON: what the person chose for themselves; what is left out has its default. */
  preferences: Generated<string>;
}

export interface SessionRow {
  /** Public: names the session in lists, opens nothing. */
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

export interface StreamRow {
  id: Generated<number>;
  uid: string;
  name: string;
  name_key: string;
  /** Sealed, like `sub_source`: cameras' logins are in it (`stream-addresses.ts`). */
  source: string;
  sub_source: string | null;
  location_name: string;
  location_key: string;
  latitude: number | null;
  longitude: number | null;
  /** IANA name of the zone that the camera stands in. */
  time_zone: Generated<string | null>;
  marker: string | null;
  is_on_demand: Flag;
  is_recorded: Flag;
  /** Whether motion is looked for; 1 unless said otherwise. */
  finds_motion: Generated<Flag>;
  /** -1: no limit. */
  depth_hours: number;
  /** Footage moves to the bucket after so many hours; -1 unless said otherwise: never. */
  far_after_hours: Generated<number>;
  is_paused: Flag;
  /** Whoever saved the source was an administrator: this machine itself may be dialled. */
  allows_loopback: Flag;
  /** Lower-case name, source without credentials, tags and location name, one a line. */
  search_text: string;
  created_by: number | null;
  created_ms: number;
  revision: number;
  /** The node that runs it. */
  node_id: string;
  /** Counts the nodes that it had: who holds an earlier one has lost the stream. */
  epoch: Generated<number>;
  /** The node that it is being handed to, and records it already, under the epoch after. */
  next_node_id: Generated<string | null>;
  /** Since when it is being handed over, by the database's clock. */
  handover_ms: Generated<number | null>;
  /** The cluster's `version` as of the last change that its node has to know of. */
  changed: Generated<number>;
  /** As last reported by the node that runs it; what filters and sorts a list. */
  status: string;
  /** Why it fails, as that node reported it: of the catalogue, and in words; null unless it does. */
  failure_code: Generated<string | null>;
  failure_reason: Generated<string | null>;
  /** Key of the public link; null: not shared. Kept readable, for the owner is shown the link again. */
  share_key: string | null;
  /** Whether pages of other sites may show the public link in a frame. */
  share_embeds: Generated<Flag>;
}

interface StreamTagRow {
  stream_id: number;
  tag: string;
  tag_key: string;
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
 * A right as it was granted, under the login that was typed; `permissions` holds the sum of these. A login that
 * does not exist has its row too, so that who may not know the difference can't see it.
 */
export interface GrantRow {
  stream_id: number;
  /** 0: administrators. */
  granter_id: number;
  login_key: string;
  /** Null: the login was unknown when it was typed, or the user is gone. */
  user_id: number | null;
  can_view: Flag;
  can_archive: Flag;
  can_share: Flag;
  can_edit: Flag;
}

/** Failures of one kind by one key, as sign-ins from one network. */
interface FailedAttemptRow {
  /** SHA-256, hex: what is typed in place of a login is often a password. */
  key: string;
  count: number;
  last_ms: number;
  expires_ms: number;
}

export interface MosaicRow {
  id: Generated<number>;
  name: string;
  name_key: string;
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
  /** JSON: uid and name of each stream, as they were when it was asked for. */
  streams: string;
  start_ms: number;
  end_ms: number;
  status: string;
  /** An ExportFailure of the contract. */
  failure: string | null;
  expected_bytes: number;
  /** Of the whole ZIP, once it is ready. */
  package_bytes: number | null;
  created_ms: number;
  expires_ms: number | null;
  /** Where its files are; null: made before there were several. */
  node_id: Generated<string | null>;
}

/** A file of a package that is whole and flushed. */
export interface ExportFileRow {
  export_id: number;
  /** From 0, in the order of the package. */
  position: number;
  /** JSON of what the manifest will say of it. */
  facts: string;
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
  outcome: string;
  /** JSON, without secrets. */
  details: string;
}

export interface ResetCodeRow {
  user_id: number;
  code_hash: string;
  expires_ms: number;
  tries: number;
}

/** A server that shares this database, or once did. */
export interface NodeRow {
  /** `node.id` of its configuration. */
  id: string;
  name: string;
  name_key: string;
  /** It runs no streams until somebody returns it. */
  is_drained: Flag;
  /** Of the product, as of its last start. */
  version: string;
  joined_ms: number;
  started_ms: number;
  last_seen_ms: number;
  /** Base URL at which its peers reach it; null: it has told none. */
  address: Generated<string | null>;
  /** By which its peers know it. */
  public_key: Generated<string | null>;
  /** Of the process that runs under this id: a second one under the same is told from it. */
  run_id: Generated<string | null>;
  /** It is there until then, by the database's clock. */
  lease_until_ms: Generated<number>;
  /** The most streams that it takes; null: no limit. */
  capacity: Generated<number | null>;
  /** How many streams it held a source or a recorder of when it renewed its lease. */
  active_streams: Generated<number>;
  /** Its disk takes no footage: its streams are better off elsewhere. */
  cannot_record: Generated<Flag>;
  /** How far its clock is ahead of the database's, ms; null: not compared yet. */
  clock_ahead_ms: Generated<number | null>;
}

/** Which node had a stream from when till when, by the database's clock; its footage may reach some seconds beyond. */
interface StreamNodeRow {
  stream_uid: string;
  epoch: number;
  node_id: string;
  from_ms: number;
  /** Null: it still has. */
  to_ms: Generated<number | null>;
}

/** A removed stream whose footage a node has still to remove. */
interface StreamPurgeRow {
  stream_uid: string;
  node_id: string;
}

/** One row for all nodes. */
interface ClusterRow {
  id: number;
  /** Counts the changes that nodes have to learn of: of streams, of their places, of their statuses. */
  version: number;
  /** The node that places streams, until then by the database's clock. */
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
  exports: ExportRow;
  export_files: ExportFileRow;
  settings: SettingRow;
  audit: AuditRow;
  reset_codes: ResetCodeRow;
  nodes: NodeRow;
  stream_nodes: StreamNodeRow;
  stream_purges: StreamPurgeRow;
  cluster: ClusterRow;
}
