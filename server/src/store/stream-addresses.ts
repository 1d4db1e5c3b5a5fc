import { sql, type Kysely, type Selectable } from 'kysely';
import { Fault } from '../base/fault.ts';
import type { Database } from './database.ts';
import { sealedPrefix, type Seal } from './seal.ts';
import { streamMapping, type Addresses, type StreamRecord, type StreamRow } from './stream-row.ts';

/** Replaces an address that can't be opened. */
export const unreadable = '';

/** How many opened addresses are cached: both of ten thousand streams. */
const openedMax = 20_000;

const isUnsealed = sql<boolean>`(substr(source, 1, ${sealedPrefix.length}) <> ${sealedPrefix}
  or substr(sub_source, 1, ${sealedPrefix.length}) <> ${sealedPrefix})`;

/**
 * The streams' addresses, in clear for the server and sealed in the database: they contain cameras' passwords.
 */
export class StreamAddresses {
  readonly #seal: Seal;
  /** Opened addresses by place. Opening one takes 4 µs, and a list needs those of its page each time. */
  readonly #opened = new Map<string, { readonly sealed: string; readonly text: string }>();

  /** Some address was in clear when this run started. */
  #hadClear = false;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  /** Opens an address only on access: a list of streams needs few or none, and a paused stream none. */
  record(row: Selectable<StreamRow>, tags: readonly string[]): StreamRecord {
    const stored = streamMapping.read(row);
    const addresses = new SealedAddresses(stored, this.#open);
    return {
      ...stored,
      tags,
      addresses,
      get source() {
        return addresses.source;
      },
      get subSource() {
        return addresses.subSource;
      },
    };
  }

  /** @throws Fault CREDENTIALS_ERR instead of overwriting an address that the right key would open */
  sealed(uid: string, { source, subSource }: Addresses): Addresses {
    if (source === unreadable || subSource === unreadable) {
      throw new Fault(
        'CREDENTIALS_ERR',
        'The stored address cannot be read with the key of this server. Enter it again, or restore the right secret.key.',
      );
    }
    return {
      source: this.#seal.seal(source, placeOf(uid, 'source')),
      subSource: subSource === null ? null : this.#seal.seal(subSource, placeOf(uid, 'sub_source')),
    };
  }

  /** Seals what an earlier version, or a tool, wrote in clear; sealed values are kept. */
  async sealAll(db: Kysely<Database>): Promise<void> {
    await db.transaction().execute(async (turn) => {
      const rows = await turn
        .selectFrom('streams')
        .select(['id', 'uid', 'source', 'sub_source'])
        .where(isUnsealed)
        .execute();
      for (const { id, uid, source, sub_source } of rows) {
        const sealed = {
          source: this.#sealedOnce(uid, 'source', source),
          sub_source: sub_source === null ? null : this.#sealedOnce(uid, 'sub_source', sub_source),
        };
        await turn.updateTable('streams').set(sealed).where('id', '=', id).execute();
        this.#hadClear = true;
      }
    });
  }

  /**
   * Erases the traces of clear text in a SQLite database: free space in the file, and the log beside it. Does
   * nothing the second time, unless forced.
   */
  async sweep(db: Kysely<Database>, options: { isForced?: boolean } = {}): Promise<void> {
    const { rows } = await sql<{ user_version: number }>`PRAGMA user_version`.execute(db);
    if (!options.isForced && !this.#hadClear && rows[0]?.user_version === sweptVersion) return;
    await sql`VACUUM`.execute(db);
    const { rows: checkpoints } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
    // While another program is reading, the log stays as it is; the next start tries again.
    if (checkpoints[0]?.busy !== 0) return;
    await sql`PRAGMA user_version = ${sql.raw(String(sweptVersion))}`.execute(db);
  }

  readonly #open = (sealed: string, place: string): string => {
    const known = this.#opened.get(place);
    if (known?.sealed === sealed) return known.text;
    const text = this.#seal.open(sealed, place);
    if (text === undefined) return unreadable;
    if (this.#opened.size >= openedMax) this.#opened.clear();
    this.#opened.set(place, { sealed, text });
    return text;
  };

  #sealedOnce(uid: string, column: string, stored: string): string {
    return stored.startsWith(sealedPrefix) ? stored : this.#seal.seal(stored, placeOf(uid, column));
  }
}

/** A stream's addresses, which are opened when they are read. */
class SealedAddresses implements Addresses {
  readonly #stream: { readonly uid: string; readonly source: string; readonly subSource: string | null };
  readonly #open: (sealed: string, place: string) => string;

  constructor(
    { uid, source, subSource }: Addresses & { readonly uid: string },
    open: (sealed: string, place: string) => string,
  ) {
    this.#stream = { uid, source, subSource };
    this.#open = open;
  }

  get source(): string {
    const { uid, source } = this.#stream;
    return this.#open(source, placeOf(uid, 'source'));
  }

  get subSource(): string | null {
    const { uid, subSource } = this.#stream;
    return subSource === null ? null : this.#open(subSource, placeOf(uid, 'sub_source'));
  }
}

/** SQLite's own application id: set when the file can no longer hold an address in clear. */
const sweptVersion = 1;

/** Whether reading the existing data needs a key. */
export async function holdsSealed(db: Kysely<Database>): Promise<boolean> {
  const row = await db
    .selectFrom('streams')
    .select('id')
    .where(
      sql<boolean>`(substr(source, 1, ${sealedPrefix.length}) = ${sealedPrefix}
      or substr(sub_source, 1, ${sealedPrefix.length}) = ${sealedPrefix})`,
    )
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return true;
  const target = await db
    .selectFrom('notification_targets')
    .select('id')
    .where('secret', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return target !== undefined;
}

function placeOf(uid: string, column: string): string {
  return `streams.${column} of ${uid}`;
}
