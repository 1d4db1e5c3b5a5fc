import { sql, type Kysely, type Selectable } from 'kysely';
import { bumpVersion } from './cluster-tables.ts';
import { Fault } from '../base/fault.ts';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import type { Database } from './database.ts';
import { hasHolds } from './holds.ts';
import { flag } from './row-mapping.ts';
import type { StreamAddresses } from './stream-addresses.ts';
import {
  savedMapping,
  streamMapping,
  type NewStream,
  type StreamChanges,
  type StreamRecord,
  type StreamRow,
} from './stream-row.ts';
import { tagsOf } from './stream-tags.ts';

/** Status of a stream, and the reason if it fails. */
export interface StoredStreamStatus {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Rows of one query. */
const readAtATime = 1_000;

/** `redact` returns an address as shown to users who may not edit the stream: only that text is searched. */
export type Redact = (source: string) => string;

export class Streams {
  readonly #db: Kysely<Database>;
  readonly #redact: Redact;
  readonly #addresses: StreamAddresses;

  constructor(db: Kysely<Database>, redact: Redact, addresses: StreamAddresses) {
    this.#db = db;
    this.#redact = redact;
    this.#addresses = addresses;
  }

  async byUid(uid: string): Promise<StreamRecord | undefined> {
    const rows = await this.#db.selectFrom('streams').selectAll().where('uid', '=', uid).execute();
    return (await this.#withTags(rows))[0];
  }

  async byShareKey(key: string): Promise<StreamRecord | undefined> {
    const rows = await this.#db.selectFrom('streams').selectAll().where('share_key', '=', key).execute();
    return (await this.#withTags(rows))[0];
  }

  /** All of them, by id; so many at a time that ten thousand are never in memory together. */
  async *all(): AsyncGenerator<StreamRecord, void, undefined> {
    for (let last = 0; ;) {
      const rows = await this.#db
        .selectFrom('streams')
        .selectAll()
        .where('id', '>', last)
        .orderBy('id')
        .limit(readAtATime)
        .execute();
      yield* await this.#withTags(rows);
      last = rows.at(-1)?.id ?? last;
      if (rows.length < readAtATime) return;
    }
  }

  /** The streams among them that exist. */
  async byUids(uids: readonly string[]): Promise<StreamRecord[]> {
    const records: StreamRecord[] = [];
    for (let start = 0; start < uids.length; start += readAtATime) {
      const rows = await this.#db
        .selectFrom('streams')
        .selectAll()
        .where('uid', 'in', uids.slice(start, start + readAtATime))
        .execute();
      records.push(...(await this.#withTags(rows)));
    }
    return records;
  }

  async countCreatedBy(userId: number): Promise<number> {
    const { n } = await this.#db
      .selectFrom('streams')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('created_by', '=', userId)
      .executeTakeFirstOrThrow();
    return Number(n);
  }

  async count(): Promise<number> {
    const { n } = await this.#db
      .selectFrom('streams')
      .select((of) => of.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  }

  idsByUid(uids: readonly string[]): Promise<Map<string, number>> {
    return streamIds(this.#db, uids);
  }

  async add(stream: NewStream): Promise<StreamRecord> {
    const { tags } = stream;
    return this.#db.transaction().execute(async (db) => {
      const row = await db
        .insertInto('streams')
        .values({
          ...streamMapping.row({ ...stream, ...this.#addresses.sealed(stream.uid, stream) }),
          ...this.#derived(stream),
          changed: await bumpVersion(db),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await replaceTags(db, row.id, tags);
      await db
        .insertInto('stream_nodes')
        .values({ stream_uid: row.uid, epoch: row.epoch, node_id: row.node_id, from_ms: row.created_ms })
        .execute();
      return this.#addresses.record(row, tags);
    });
  }

  /**
   * Replaces what can be edited. Undefined when the stream no longer exists, or is no longer at
   * `expectedRevision` because another user saved in between.
   * @throws Fault CREDENTIALS_ERR when an address is still the unreadable one
   */
  async save(
    id: number,
    expectedRevision: number,
    changes: StreamChanges,
  ): Promise<StreamRecord | undefined> {
    const { tags } = changes;
    return this.#db.transaction().execute(async (db) => {
      const old = await db.selectFrom('streams').select('uid').where('id', '=', id).executeTakeFirst();
      if (!old) return undefined;
      const sealed = this.#addresses.sealed(old.uid, changes);
      const row = await db
        .updateTable('streams')
        .set({
          ...savedMapping.columns({ ...changes, ...sealed }),
          ...this.#derived(changes),
          revision: expectedRevision + 1,
          changed: await bumpVersion(db),
        })
        .where('id', '=', id)
        .where('revision', '=', expectedRevision)
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      await replaceTags(db, id, tags);
      return this.#addresses.record(row, tags);
    });
  }

  async setPaused(id: number, isPaused: boolean): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db
        .updateTable('streams')
        .set({ is_paused: flag(isPaused), changed: await bumpVersion(db) })
        .where('id', '=', id)
        .execute();
    });
  }

  /**
   * Gives an unshared stream this key. Returns the key in force: of two simultaneous calls, the first one's.
   */
  async makeShareKey(id: number, key: string): Promise<string> {
    await this.#db
      .updateTable('streams')
      .set({ share_key: key })
      .where('id', '=', id)
      .where('share_key', 'is', null)
      .execute();
    const row = await this.#db
      .selectFrom('streams')
      .select('share_key')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.share_key ?? key;
  }

  /** A later link starts without permission to embed. */
  async removeShareKey(id: number): Promise<void> {
    await this.#db
      .updateTable('streams')
      .set({ share_key: null, share_embeds: 0 })
      .where('id', '=', id)
      .execute();
  }

  async setShareEmbeds(id: number, mayEmbed: boolean): Promise<void> {
    await this.#db
      .updateTable('streams')
      .set({ share_embeds: flag(mayEmbed) })
      .where('id', '=', id)
      .execute();
  }

  /**
   * With `purge` every node is instructed to delete its footage: not only those that had the stream, because a
   * node that it was being handed to may already have started.
   * @throws Fault FootageHeld while rules hold footage of it
   */
  async remove(id: number, options: { purge: boolean } = { purge: false }): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      if (await hasHolds(db, id)) throw new Fault('FootageHeld', 'Rules hold footage of the stream.');
      const row = await db.deleteFrom('streams').where('id', '=', id).returning('uid').executeTakeFirst();
      if (!row) return;
      if (options.purge) await notePurges(db, row.uid);
      await db.deleteFrom('stream_nodes').where('stream_uid', '=', row.uid).execute();
      await bumpVersion(db);
    });
  }

  /** Removed streams whose footage a node has not deleted yet. */
  async purges(nodeId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('stream_purges')
      .select('stream_uid')
      .where('node_id', '=', nodeId)
      .execute();
    return rows.map(({ stream_uid }) => stream_uid);
  }

  /** Records that a node has deleted the footage of a removed stream. */
  async notePurged(nodeId: string, uid: string): Promise<void> {
    await this.#db
      .deleteFrom('stream_purges')
      .where('node_id', '=', nodeId)
      .where('stream_uid', '=', uid)
      .execute();
  }

  /**
   * Stores the statuses that lists filter and sort by, and the reasons of failures: one write for all changes.
   */
  async saveStatuses(statuses: ReadonlyMap<string, StoredStreamStatus>): Promise<void> {
    const alike = Map.groupBy(statuses, ([, { status, code, reason }]) =>
      JSON.stringify([status, code, reason]),
    );
    await this.#db.transaction().execute(async (db) => {
      for (const entries of alike.values()) {
        const uids = entries.map(([uid]) => uid);
        const first = entries[0]?.[1];
        if (!first) continue;
        const { status, code, reason } = first;
        for (let start = 0; start < uids.length; start += 1_000) {
          await db
            .updateTable('streams')
            .set({ status, failure_code: code, failure_reason: reason })
            .where('uid', 'in', uids.slice(start, start + 1_000))
            .execute();
        }
      }
      await bumpVersion(db);
    });
  }

  /** Rebuilds the search and sort columns of each stream. */
  async deriveAll(): Promise<void> {
    for await (const stream of this.all()) {
      await this.#db.updateTable('streams').set(this.#derived(stream)).where('id', '=', stream.id).execute();
    }
  }

  #derived(stream: Pick<NewStream, 'name' | 'location' | 'source' | 'tags'>) {
    const words = [stream.name, this.#redact(stream.source), ...stream.tags, stream.location.name];
    const name = keyOf(stream.name);
    const location = keyOf(stream.location.name);
    return {
      name_key: name,
      name_sort: sortKeyOf(name),
      location_key: location,
      location_sort: sortKeyOf(location),
      search_text: keyOf(words.join('\n')),
    };
  }

  async #withTags(rows: readonly Selectable<StreamRow>[]): Promise<StreamRecord[]> {
    const tags = await tagsOf(
      this.#db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => this.#addresses.record(row, tags.get(row.id) ?? []));
  }
}

async function notePurges(db: Kysely<Database>, uid: string): Promise<void> {
  await db
    .insertInto('stream_purges')
    .columns(['stream_uid', 'node_id'])
    .expression((of) =>
      of
        .selectFrom('stream_nodes')
        .select(['stream_uid', 'node_id'])
        .where('stream_uid', '=', uid)
        .union(
          of
            .selectFrom('nodes')
            .select([sql<string>`cast(${uid} as text)`.as('stream_uid'), 'id as node_id']),
        ),
    )
    .execute();
}

async function replaceTags(db: Kysely<Database>, streamId: number, tags: readonly string[]): Promise<void> {
  await db.deleteFrom('stream_tags').where('stream_id', '=', streamId).execute();
  if (tags.length === 0) return;
  const values = tags.map((tag, position) => {
    const key = keyOf(tag);
    return { stream_id: streamId, tag, tag_key: key, tag_sort: sortKeyOf(key), position };
  });
  await db
    .insertInto('stream_tags')
    .values(values)
    .onConflict((conflict) => conflict.columns(['stream_id', 'tag_key']).doNothing())
    .execute();
}

/** The ids of the existing streams, by uid. */
export async function streamIds(db: Kysely<Database>, uids: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let start = 0; start < uids.length; start += 1_000) {
    const rows = await db
      .selectFrom('streams')
      .select(['uid', 'id'])
      .where('uid', 'in', uids.slice(start, start + 1_000))
      .execute();
    for (const row of rows) found.set(row.uid, row.id);
  }
  return found;
}
