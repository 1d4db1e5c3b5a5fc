import type { DatabaseSync } from 'node:sqlite';
import type { gapCauses } from '@vidette/contract/constants';
import { CATALOG_VERSION } from '../version/version.ts';

/** Why a time span was not recorded. Stored as text in the catalog; the page shows an explanation. */
export type RecordedGapCause = (typeof gapCauses)[number];

const remoteIndexes = `
-- retention's next victim over all streams, on the disk and in the bucket
CREATE INDEX segment_near_by_start ON segment (start_ticks) WHERE is_open = 0 AND is_far = 0;
CREATE INDEX segment_far_by_start ON segment (start_ticks) WHERE is_far = 1;
`;

const remoteNotes = `
-- an object may be there that no row speaks of
CREATE TABLE far_sending (
  uid          TEXT NOT NULL,
  start_ticks  INTEGER NOT NULL,
  PRIMARY KEY (uid, start_ticks)
) STRICT, WITHOUT ROWID;

-- objects that must go; no row speaks of them any more
CREATE TABLE far_removal (
  uid          TEXT NOT NULL,
  start_ticks  INTEGER NOT NULL,
  PRIMARY KEY (uid, start_ticks)
) STRICT, WITHOUT ROWID;
`;

const damageMarks = `
-- segments whose files are missing, shorter than their rows say, or overwritten; the rows stay as they were written
CREATE TABLE IF NOT EXISTS damage (
  stream_id        INTEGER NOT NULL REFERENCES stream (id),
  start_ticks      INTEGER NOT NULL,
  -- up to here the file can be read; 0: not at all
  whole_bytes      INTEGER NOT NULL CHECK (whole_bytes >= 0),
  -- where that ends on the timeline
  whole_end_ticks  INTEGER NOT NULL,
  PRIMARY KEY (stream_id, start_ticks)
) STRICT, WITHOUT ROWID;
`;

/**
 * The catalog's tables. Ticks are 90 kHz units since 1970-01-01T00:00:00Z, whatever the timescale of the
 * tracks. Foreign keys are declared for the reader; the writer maintains them and `vidette check` verifies the
 * ones that matter.
 */
const schema = `
CREATE TABLE archive (
  -- exactly one row
  only        INTEGER PRIMARY KEY CHECK (only = 1),
  version     INTEGER NOT NULL,
  -- UUID, also in the marker file of the folder that this catalog describes
  archive_id  TEXT NOT NULL,
  -- 1 while a server runs; 0 after a clean close
  is_dirty    INTEGER NOT NULL CHECK (is_dirty IN (0, 1))
) STRICT;

CREATE TABLE stream (
  id                   INTEGER PRIMARY KEY,
  -- [a-z0-9]{1,32}, the stream's uid in the configuration and the name of its folder
  uid                  TEXT NOT NULL UNIQUE,
  -- sums over this stream's rows in segment
  segments             INTEGER NOT NULL DEFAULT 0 CHECK (segments >= 0),
  bytes                INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  duration_ticks       INTEGER NOT NULL DEFAULT 0 CHECK (duration_ticks >= 0),
  -- up to here footage was removed by retention; 0: nothing was
  removed_until_ticks  INTEGER NOT NULL DEFAULT 0,
  -- 1 from the first fragment of a recorder to its stop: who must get an interruption after a crash
  is_recording         INTEGER NOT NULL DEFAULT 0 CHECK (is_recording IN (0, 1)),
  -- the part of segments and bytes that is far (design/s3-tier.md)
  far_segments         INTEGER NOT NULL DEFAULT 0 CHECK (far_segments >= 0),
  far_bytes            INTEGER NOT NULL DEFAULT 0 CHECK (far_bytes >= 0)
) STRICT;

CREATE TABLE init (
  id      INTEGER PRIMARY KEY,
  -- SHA-256 of bytes
  digest  BLOB NOT NULL UNIQUE,
  -- ftyp and moov, as at the start of each file that uses it
  bytes   BLOB NOT NULL
) STRICT;

CREATE TABLE fragment_index (
  id       INTEGER PRIMARY KEY,
  -- see fragment-index.ts: duration, size and kind of each fragment of one segment, in order
  entries  BLOB NOT NULL,
  -- see fragment-sums.ts: the checksum of each; shorter where a version before began the segment
  sums     BLOB NOT NULL DEFAULT X''
) STRICT;

CREATE TABLE segment (
  stream_id    INTEGER NOT NULL REFERENCES stream (id),
  -- decode time of the first sample of the first track; names the file together with the uid
  start_ticks  INTEGER NOT NULL,
  -- decode end of the last flushed fragment
  end_ticks    INTEGER NOT NULL CHECK (end_ticks > start_ticks),
  -- flushed length of the file, init included
  bytes        INTEGER NOT NULL CHECK (bytes > 0),
  init_id      INTEGER NOT NULL REFERENCES init (id),
  index_id     INTEGER NOT NULL REFERENCES fragment_index (id),
  -- 1 while the file may grow, or while a tail past bytes may need to be cut
  is_open      INTEGER NOT NULL CHECK (is_open IN (0, 1)),
  -- 1: its bytes are an object of the bucket, no file
  is_far       INTEGER NOT NULL DEFAULT 0 CHECK (is_far IN (0, 1)),
  PRIMARY KEY (stream_id, start_ticks)
) STRICT, WITHOUT ROWID;
${remoteIndexes}
-- recovery's work list
CREATE INDEX segment_open ON segment (stream_id, start_ticks) WHERE is_open = 1;

CREATE TABLE interruption (
  stream_id  INTEGER NOT NULL REFERENCES stream (id),
  -- from here on nothing was recorded, until the next interruption or segment
  at_ticks   INTEGER NOT NULL,
  -- a RecordedGapCause
  cause      TEXT NOT NULL,
  PRIMARY KEY (stream_id, at_ticks)
) STRICT, WITHOUT ROWID;

CREATE TABLE active_folder (
  stream_id  INTEGER NOT NULL REFERENCES stream (id),
  -- UTC day, YYYY-MM-DD: files may be there that have no row yet
  day        TEXT NOT NULL,
  PRIMARY KEY (stream_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE pending_removal (
  -- the uid itself, because the stream's row may be gone before its files are
  uid          TEXT NOT NULL,
  start_ticks  INTEGER NOT NULL,
  PRIMARY KEY (uid, start_ticks)
) STRICT, WITHOUT ROWID;
${remoteNotes}
${damageMarks}
`;

/** Creates the tables in an empty database, in one transaction, with a new identity unless one is given. */
export function createCatalog(database: DatabaseSync, archiveId: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(schema);
    database
      .prepare('INSERT INTO archive (only, version, archive_id, is_dirty) VALUES (1, ?, ?, 0)')
      .run(CATALOG_VERSION, archiveId);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Migrates an older catalog to the current tables, in one transaction; version 1 had no object storage. */
export function upgradeCatalog(database: DatabaseSync, version: number): void {
  if (!(version >= 1 && version < CATALOG_VERSION)) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (version === 1) {
      database.exec(`
        ALTER TABLE stream ADD COLUMN far_segments INTEGER NOT NULL DEFAULT 0 CHECK (far_segments >= 0);
        ALTER TABLE stream ADD COLUMN far_bytes INTEGER NOT NULL DEFAULT 0 CHECK (far_bytes >= 0);
        ALTER TABLE segment ADD COLUMN is_far INTEGER NOT NULL DEFAULT 0 CHECK (is_far IN (0, 1));
        DROP INDEX segment_closed_by_start;
        ${remoteIndexes}
        ${remoteNotes}
      `);
    }
    database.exec(`ALTER TABLE fragment_index ADD COLUMN sums BLOB NOT NULL DEFAULT X'';`);
    database.exec(`${damageMarks} UPDATE archive SET version = ${CATALOG_VERSION};`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
