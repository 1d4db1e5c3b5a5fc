import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SampleIndex } from '@vidette/media/mp4/sample-index';
import { Fault } from '../../base/fault.ts';
import { isSqliteError, sqliteTroubleOf } from '../../base/sqlite-trouble.ts';
import type { NewFragment } from '../segments/segments.ts';
import { CatalogDamaged, CatalogTooNew, openCatalogForWriting } from './catalog-file.ts';
import { CatalogWrites } from './catalog-writes.ts';
import { prepared } from './prepared.ts';
import type { CatalogRow, SegmentName } from './segment-row.ts';
import { TimelineReads } from './timeline-reads.ts';

/** A recording of another program, to be added. */
export interface NewImport {
  readonly uid: string;
  readonly startTicks: number;
  /** Of the segment as which it is served. */
  readonly init: Uint8Array;
  readonly fragments: readonly NewFragment[];
  readonly file: ImportedFile;
  /** Of a file without boxes. */
  readonly samples?: SampleIndex | undefined;
}

/** Where the bytes of a segment are. */
export interface ImportedFile {
  /** The folder of all recordings, without symbolic links: nothing outside of it is read. */
  readonly root: string;
  /** Below `root`, with slashes. */
  readonly folder: string;
  readonly name: string;
  /** Length when it was read. */
  readonly bytes: number;
  /** Time of the last change, ms since the epoch, rounded down. */
  readonly modifiedMs: number;
}

/** What is known of a file by its name. */
export type KnownImport = SegmentName & Pick<ImportedFile, 'bytes' | 'modifiedMs'>;

const tables = `
CREATE TABLE IF NOT EXISTS imported_folder (
  id    INTEGER PRIMARY KEY,
  -- absolute path of the folder of all recordings
  root  TEXT NOT NULL,
  -- below it
  path  TEXT NOT NULL,
  UNIQUE (root, path)
) STRICT;

-- the files that segments of this catalog are read from; each has one row in segment
CREATE TABLE IF NOT EXISTS imported_file (
  stream_id    INTEGER NOT NULL REFERENCES stream (id),
  start_ticks  INTEGER NOT NULL,
  folder_id    INTEGER NOT NULL REFERENCES imported_folder (id),
  name         TEXT NOT NULL,
  bytes        INTEGER NOT NULL CHECK (bytes > 0),
  modified_ms  INTEGER NOT NULL,
  PRIMARY KEY (stream_id, start_ticks)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS imported_file_by_name ON imported_file (folder_id, name);

-- VisualSampleEntry boxes of files without boxes
CREATE TABLE IF NOT EXISTS imported_entry (
  id    INTEGER PRIMARY KEY,
  data  BLOB NOT NULL UNIQUE
) STRICT;

-- the samples of files without boxes, as their program describes them; at most one row for each in imported_file
CREATE TABLE IF NOT EXISTS imported_samples (
  stream_id       INTEGER NOT NULL REFERENCES stream (id),
  start_ticks     INTEGER NOT NULL,
  entry_id        INTEGER NOT NULL REFERENCES imported_entry (id),
  samples         BLOB NOT NULL,
  -- how long they last altogether, 90 kHz; 0: as long as they say
  duration_ticks  INTEGER NOT NULL CHECK (duration_ticks >= 0),
  PRIMARY KEY (stream_id, start_ticks)
) STRICT;
`;

/** Of the tables above, as `PRAGMA user_version`; those of the archive's catalog have their own. */
const tablesVersion = 1;

/**
 * The catalog of recordings that belong to other programs. It has the tables of the archive's catalog, so that the same
 * queries read both, and a table of files. It is a database of its own: what deletes, moves, counts, checks or rebuilds the
 * archive never meets a row of it. It is derived from the files: without it, the import is repeated.
 */
export class ImportedCatalog {
  readonly reads: TimelineReads;
  readonly #database: DatabaseSync;
  readonly #writes: CatalogWrites;
  readonly #statements: Record<keyof typeof statements, StatementSync>;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#writes = new CatalogWrites(database);
    this.reads = new TimelineReads(database);
    this.#statements = prepared(database, statements);
  }

  /**
   * Opens or creates it. Server and command may have it open at the same time; only one of them creates it.
   * @param busyMs how long a write waits for one of another process
   * @throws Fault if it is damaged, was written by a newer version, or can't be reached
   */
  static open(path: string, busyMs: number): ImportedCatalog {
    if (!existsSync(path)) {
      // The server opens it as soon as it is there: with all its tables.
      const aside = `${path}.new`;
      for (const end of ['', '-wal', '-shm']) rmSync(aside + end, { force: true });
      ImportedCatalog.#openFile(aside, busyMs).close();
      renameSync(aside, path);
    }
    return ImportedCatalog.#openFile(path, busyMs);
  }

  static #openFile(path: string, busyMs: number): ImportedCatalog {
    const database = openTables(path);
    try {
      const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      if (version > tablesVersion) throw tooNew(path);
      // A power cut may undo the last rows, which another import adds again.
      database.exec(`PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${busyMs}`);
      database.exec(tables);
      if (version < tablesVersion) database.exec(`PRAGMA user_version = ${tablesVersion}`);
      return new ImportedCatalog(database);
    } catch (error) {
      database.close();
      throw faultOf(error, path);
    }
  }

  /** Changes when another process has written. */
  get dataVersion(): unknown {
    return this.#statements.dataVersion.get()?.['data_version'];
  }

  /** The file of a segment. */
  file(streamId: number, startTicks: number): ImportedFile | undefined {
    const row = this.#statements.file.get(streamId, startTicks);
    return row && importedFile(row);
  }

  /** How to read the file of a segment; undefined if its boxes say it. */
  samples(streamId: number, startTicks: number): SampleIndex | undefined {
    return this.#statements.samples.get(streamId, startTicks) as unknown as SampleIndex | undefined;
  }

  /** The files of a stream from a time on, oldest first. */
  filesFrom(streamId: number, fromTicks: number, limit: number): (ImportedFile & { startTicks: number })[] {
    return this.#statements.filesFrom
      .all(streamId, fromTicks, limit)
      .map((row) => ({ ...importedFile(row), startTicks: row['start_ticks'] as number }));
  }

  /** What a stream has from a folder, by the names of the files. */
  inFolder(uid: string, root: string, folder: string): Map<string, KnownImport> {
    return new Map(
      this.#statements.inFolder.all(uid, root, folder).map((row) => [row['name'] as string, known(row)]),
    );
  }

  /** The folders below a root from which recordings of a stream were imported. */
  foldersOf(uid: string, root: string): string[] {
    return this.#statements.foldersOf.all(uid, root).map((row) => row['path'] as string);
  }

  /** Adds recordings and forgets others, in one transaction. @throws what SQLite throws */
  commit(added: readonly NewImport[], forgotten: readonly SegmentName[]): void {
    this.#writes.commit(
      [
        ...forgotten.map(({ uid, startTicks }) => ({ type: 'lost', uid, startTicks }) as const),
        ...added.flatMap(({ uid, startTicks, init, fragments }) => [
          { type: 'segment', uid, startTicks, init, fragments, isFound: true } as const,
          { type: 'close', uid, segmentStartTicks: startTicks } as const,
        ]),
      ],
      () => {
        for (const { uid, startTicks } of forgotten) {
          this.#statements.forget.run(uid, startTicks);
          this.#statements.forgetSamples.run(uid, startTicks);
        }
        for (const { uid, startTicks, file, samples } of added) {
          const { root, folder, name, bytes, modifiedMs } = file;
          this.#statements.addFolder.run(root, folder);
          this.#statements.add.run(startTicks, name, bytes, modifiedMs, uid, root, folder);
          if (samples) this.#addSamples(uid, startTicks, samples);
        }
      },
    );
  }

  /** Forgets some of the recordings of a stream, and the stream with the last of them; false: there are more. */
  forgetSome(uid: string, limit: number): boolean {
    const stream = this.reads.stream(uid);
    if (!stream) return true;
    const files = this.filesFrom(stream.id, 0, limit);
    this.commit(
      [],
      files.map(({ startTicks }) => ({ uid, startTicks })),
    );
    if (files.length === limit) return false;
    this.#writes.commit([{ type: 'forget', uid }]);
    return true;
  }

  close(): void {
    this.#database.close();
  }

  #addSamples(uid: string, startTicks: number, { entry, samples, durationTicks }: SampleIndex): void {
    this.#statements.addEntry.run(entry);
    this.#statements.addSamples.run(startTicks, samples, durationTicks, uid, entry);
  }
}

/** Its rows can be made again, so its errors say another thing than those of the archive's catalog. */
function openTables(path: string): DatabaseSync {
  try {
    return openCatalogForWriting(path);
  } catch (error) {
    throw faultOf(error, path);
  }
}

function faultOf(error: unknown, path: string): unknown {
  if (error instanceof CatalogTooNew) return tooNew(path);
  // A statement that doesn't fit the tables.
  const isForeign = isSqliteError(error) && (sqliteTroubleOf(error) ?? 'damaged') === 'damaged';
  if (!isForeign && !(error instanceof CatalogDamaged)) return error;
  return unusable(`The index of imported recordings ${path} is damaged.`, path, error);
}

function tooNew(path: string): Fault {
  return unusable(`A newer version of Vidette has written the index of imported recordings ${path}.`, path);
}

function unusable(what: string, path: string, cause?: unknown): Fault {
  return new Fault(
    'Unavailable',
    `${what} The recordings are not affected. Stop the server, delete ${path}, ${path}-wal and ${path}-shm, and import again.`,
    { cause },
  );
}

const columns = 'root, path, name, imported_file.bytes AS bytes, modified_ms, start_ticks';

const statements = {
  dataVersion: 'PRAGMA data_version',
  file: `SELECT ${columns} FROM imported_file JOIN imported_folder ON imported_folder.id = folder_id
         WHERE stream_id = ? AND start_ticks = ?`,
  filesFrom: `SELECT ${columns} FROM imported_file JOIN imported_folder ON imported_folder.id = folder_id
              WHERE stream_id = ? AND start_ticks >= ? ORDER BY start_ticks LIMIT ?`,
  samples: `SELECT data AS entry, samples, duration_ticks AS durationTicks FROM imported_samples
            JOIN imported_entry ON imported_entry.id = entry_id WHERE stream_id = ? AND start_ticks = ?`,
  inFolder: `SELECT uid, name, imported_file.bytes AS bytes, modified_ms, start_ticks FROM imported_folder
             JOIN imported_file ON folder_id = imported_folder.id JOIN stream ON stream.id = stream_id
             WHERE uid = ? AND root = ? AND path = ?`,
  foldersOf: `SELECT path FROM imported_folder WHERE id IN (SELECT folder_id FROM imported_file
              WHERE stream_id = (SELECT id FROM stream WHERE uid = ?)) AND root = ?`,
  forget: `DELETE FROM imported_file WHERE stream_id = (SELECT id FROM stream WHERE uid = ?) AND start_ticks = ?`,
  forgetSamples:
    'DELETE FROM imported_samples WHERE stream_id = (SELECT id FROM stream WHERE uid = ?) AND start_ticks = ?',
  addEntry: 'INSERT INTO imported_entry (data) VALUES (?) ON CONFLICT DO NOTHING',
  addSamples: `INSERT INTO imported_samples (start_ticks, samples, duration_ticks, stream_id, entry_id)
               VALUES (?, ?, ?, (SELECT id FROM stream WHERE uid = ?), (SELECT id FROM imported_entry WHERE data = ?))`,
  addFolder: 'INSERT INTO imported_folder (root, path) VALUES (?, ?) ON CONFLICT DO NOTHING',
  add: `INSERT INTO imported_file (start_ticks, name, bytes, modified_ms, stream_id, folder_id)
        VALUES (?, ?, ?, ?, (SELECT id FROM stream WHERE uid = ?),
                (SELECT id FROM imported_folder WHERE root = ? AND path = ?))`,
};

function importedFile(row: CatalogRow): ImportedFile {
  return {
    root: row['root'] as string,
    folder: row['path'] as string,
    name: row['name'] as string,
    bytes: row['bytes'] as number,
    modifiedMs: row['modified_ms'] as number,
  };
}

function known(row: CatalogRow): KnownImport {
  return {
    uid: row['uid'] as string,
    startTicks: row['start_ticks'] as number,
    bytes: row['bytes'] as number,
    modifiedMs: row['modified_ms'] as number,
  };
}
