import type { StreamSettings } from '@vidette/contract/entities';
import { sql, type Generated, type RawBuilder, type SqlBool } from 'kysely';
import { flagColumn, rowMapping, type Changes, type Flag, type MemberColumns } from './row-mapping.ts';

export interface StreamRow {
  id: Generated<number>;
  uid: string;
  name: string;
  name_key: string;
  name_sort: Generated<string>;
  /** Sealed, like `sub_source`: both contain cameras' credentials (`stream-addresses.ts`). */
  source: string;
  sub_source: string | null;
  location_name: string;
  location_key: string;
  location_sort: Generated<string>;
  latitude: number | null;
  longitude: number | null;
  /** IANA name of the camera's time zone. */
  time_zone: Generated<string | null>;
  marker: string | null;
  is_on_demand: Flag;
  is_recorded: Flag;
  /** Whether motion detection is on; 1 by default. */
  finds_motion: Generated<Flag>;
  /** -1: no limit. */
  depth_hours: number;
  /** Footage is moved to the bucket after this many hours; -1, the default: never. */
  far_after_hours: Generated<number>;
  is_paused: Flag;
  /** The source was saved by an administrator: addresses of this machine are allowed. */
  allows_loopback: Flag;
  /** Lower-case name, source without credentials, tags and location name, one per line. */
  search_text: string;
  created_by: number | null;
  created_ms: number;
  revision: number;
  /** The node that runs it. */
  node_id: string;
  /** The number of nodes that have had it: the holder of an earlier epoch has lost the stream. */
  epoch: Generated<number>;
  /** The node that it is being handed to, which already records it, under the next epoch. */
  next_node_id: Generated<string | null>;
  /** Start of the handover, by the database's clock. */
  handover_ms: Generated<number | null>;
  /** The cluster's `version` as of the last change that its node must read. */
  changed: Generated<number>;
  /** As last reported by the node that runs it; lists filter and sort by it. */
  status: string;
  /** Why it fails, as that node reported it: code of the catalogue, and message; null unless it does. */
  failure_code: Generated<string | null>;
  failure_reason: Generated<string | null>;
  /** Key of the public link; null: not shared. Stored in clear, because the owner is shown the link again. */
  share_key: string | null;
  /** Whether pages of other sites may show the public link in a frame. */
  share_embeds: Generated<Flag>;
}

/** Whether a stream is to be recorded. @param table the alias of `streams` in the query */
export function isToBeRecorded(table: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(`${table}.is_recorded`)} = 1`;
}

/** How long footage of a stream is kept, to sort by; null where nothing is recorded. */
export const keptHours = sql`case when ${isToBeRecorded('streams')}
  then case when streams.depth_hours < 0 then 2147483647 else streams.depth_hours end end`;

type Settings = Omit<StreamSettings, 'tags'>;

/** The part of a stream that is stored in its row. */
export interface StoredStream extends Settings {
  readonly id: number;
  readonly uid: string;
  /** The main address, sealed or in clear (`stream-addresses.ts`). */
  readonly source: string;
  /** The address of a smaller video of the same camera; null without one. */
  readonly subSource: string | null;
  readonly isPaused: boolean;
  /** The source was saved by an administrator: addresses of this machine are allowed. */
  readonly allowsLoopback: boolean;
  /** Id of the user who added it; null when that user has been deleted. */
  readonly createdBy: number | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Increases by one with every save. */
  readonly revision: number;
  /** The node that runs it. */
  readonly nodeId: string;
  /** As last reported by the node that runs it. */
  readonly status: string;
  /** Why it fails: code of the catalogue, and message; null unless it does. */
  readonly failureCode: string | null;
  readonly failureReason: string | null;
  /** Key of the public link; null: not shared. */
  readonly shareKey: string | null;
  /** Whether pages of other sites may show the public link in a frame. */
  readonly shareEmbeds: boolean;
}

export interface Addresses {
  readonly source: string;
  readonly subSource: string | null;
}

/** A stream as the rest of the server knows it, with its tags in the order in which they were entered. */
export interface StreamRecord extends StoredStream {
  readonly tags: readonly string[];
  /** In clear, opened when they are read; `unreadable` when the current key does not open them. */
  readonly addresses: Addresses;
  /** Those of `addresses`. */
  readonly source: string;
  readonly subSource: string | null;
}

/** Settings for which the table has a default may be absent. */
interface NewSettings {
  readonly name: string;
  readonly location: { readonly name: string } & Changes<Settings['location']>;
  readonly meta?: Changes<Settings['meta']> | undefined;
  readonly live: Settings['live'];
  readonly archive: Pick<Settings['archive'], 'isEnable' | 'depthHours'> & Changes<Settings['archive']>;
  readonly motion?: Changes<Settings['motion']> | undefined;
}

export interface NewStream
  extends
    NewSettings,
    Omit<StoredStream, 'id' | 'failureCode' | 'failureReason' | 'shareEmbeds' | keyof Settings> {
  readonly tags: readonly string[];
}

/** Everything that a save replaces; absent settings keep their values. */
export interface StreamChanges
  extends NewSettings, Pick<StoredStream, 'source' | 'subSource' | 'allowsLoopback'> {
  readonly tags: readonly string[];
}

/** The columns of the settings that users make. */
const settings: MemberColumns<StreamRow, Settings> = {
  name: 'name',
  location: {
    name: 'location_name',
    latitude: 'latitude',
    longitude: 'longitude',
    timeZone: 'time_zone',
  },
  meta: { marker: 'marker' },
  live: { onDemand: flagColumn('is_on_demand') },
  archive: {
    isEnable: flagColumn('is_recorded'),
    depthHours: 'depth_hours',
    farAfterHours: 'far_after_hours',
  },
  motion: { isEnable: flagColumn('finds_motion') },
};

/** What one save can change. */
export const savedMapping = rowMapping<
  StreamRow,
  Settings & Pick<StoredStream, 'source' | 'subSource' | 'allowsLoopback'>
>({ ...settings, source: 'source', subSource: 'sub_source', allowsLoopback: flagColumn('allows_loopback') });

export const streamMapping = rowMapping<StreamRow, StoredStream>({
  ...settings,
  id: 'id',
  uid: 'uid',
  source: 'source',
  subSource: 'sub_source',
  isPaused: flagColumn('is_paused'),
  allowsLoopback: flagColumn('allows_loopback'),
  createdBy: 'created_by',
  createdMs: 'created_ms',
  revision: 'revision',
  nodeId: 'node_id',
  status: 'status',
  failureCode: 'failure_code',
  failureReason: 'failure_reason',
  shareKey: 'share_key',
  shareEmbeds: flagColumn('share_embeds'),
});
