import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isSqliteError } from '../base/sqlite-trouble.ts';
import { openDatabaseCopy } from './database-copy.ts';

/** A stream in the database of Moonfire NVR. */
export interface MoonfireStream {
  readonly id: number;
  /** Name of its camera. */
  readonly camera: string;
  /** JSON. */
  readonly cameraConfig: string;
  readonly type: 'main' | 'sub' | 'ext';
  /** JSON. */
  readonly config: string;
  /** JSON, with the folder of its files; null if it was never recorded. */
  readonly folderConfig: string | null;
}

/** A recording, as long as a minute. */
export interface MoonfireRecording {
  /** Of its file: sixteen hexadecimal digits. */
  readonly name: string;
  /** Ticks of 90 kHz since the epoch. */
  readonly startTicks: number;
  /** By the recorder's clock, ticks of 90 kHz. */
  readonly durationTicks: number;
}

/** How the bytes of a recording's file are to be read. */
export interface MoonfireSamples {
  /** A VisualSampleEntry box. */
  readonly entry: Uint8Array;
  /** See `media/mp4/sample-index`. */
  readonly samples: Uint8Array;
}

/** Since version 0.7.0 of 2021; others differ in tables that are read here. */
const schemaVersion = 7;
/** Recordings take a minute, at most five; of one that is longer nothing is read. */
const samplesMaxBytes = 4 << 20;
const entryMaxBytes = 1 << 20;
/** Of times that are read: what a number can hold exactly. */
const ticksMax = 2 ** 52;

/** The database of Moonfire NVR, as it was when it was opened. It is not changed. */
export class MoonfireDatabase {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @throws Fault if it is none of its databases, or has another version; system errors */
  static async open(file: string, clock: Clock): Promise<MoonfireDatabase> {
    let database: DatabaseSync;
    try {
      database = await openDatabaseCopy(file, clock);
    } catch (cause) {
      if (!isSqliteError(cause)) throw cause;
      throw foreign(cause);
    }
    const opened = new MoonfireDatabase(database);
    try {
      opened.#assertVersion();
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** @throws Fault if the tables are others */
  get streams(): readonly MoonfireStream[] {
    const rows = this.#all(
      `SELECT stream.id AS id, camera.short_name AS camera, camera.config AS cameraConfig, stream.type AS type,
              stream.config AS config, sample_file_dir.config AS folderConfig
         FROM camera JOIN stream ON stream.camera_id = camera.id
         LEFT JOIN sample_file_dir ON sample_file_dir.id = stream.sample_file_dir_id ORDER BY camera.id, stream.id`,
    );
    return rows as unknown as readonly MoonfireStream[];
  }

  /** The recordings of a stream, oldest first. @throws as `streams` */
  recordings(streamId: number): readonly MoonfireRecording[] {
    const rows = this.#all(
      `SELECT printf('%016x', composite_id) AS name, CAST(wall_duration_90k AS INTEGER) AS durationTicks,
              min(max(CAST(start_time_90k AS INTEGER), 0), ${ticksMax}) AS startTicks
         FROM recording WHERE stream_id = ? ORDER BY start_time_90k`,
      streamId,
    );
    return rows as unknown as readonly MoonfireRecording[];
  }

  /** The samples of a recording; undefined if there are none, or too many. @throws as `streams` */
  samples(name: string): MoonfireSamples | undefined {
    const [row] = this.#all(
      `SELECT CAST(data AS BLOB) AS entry, CAST(video_index AS BLOB) AS samples FROM recording_playback
         JOIN recording ON recording.composite_id = recording_playback.composite_id
         JOIN video_sample_entry ON video_sample_entry.id = video_sample_entry_id
        WHERE recording_playback.composite_id = ? AND length(video_index) <= ${samplesMaxBytes}
          AND length(data) <= ${entryMaxBytes}`,
      BigInt(`0x${name}`),
    );
    return row as unknown as MoonfireSamples | undefined;
  }

  close(): void {
    this.#database.close();
  }

  #assertVersion(): void {
    const [row] = this.#all('SELECT max(id) AS version FROM version');
    const version = row?.['version'];
    if (version === schemaVersion) return;
    throw new Fault(
      'Unavailable',
      `It has version ${String(version)} of the tables of Moonfire NVR; only version ${schemaVersion} is supported.`,
    );
  }

  #all(sql: string, ...values: readonly (number | bigint)[]): Record<string, unknown>[] {
    try {
      return this.#database.prepare(sql).all(...values);
    } catch (cause) {
      if (!isSqliteError(cause)) throw cause;
      throw foreign(cause);
    }
  }
}

function foreign(cause: unknown): Fault {
  return new Fault('Unavailable', 'It is no whole database of Moonfire NVR.', { cause });
}
