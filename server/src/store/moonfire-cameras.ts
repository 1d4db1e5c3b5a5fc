import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../base/fault.ts';
import { isSqliteError } from '../base/sqlite-trouble.ts';

/** A stream in the database of Moonfire NVR. */
export interface MoonfireStream {
  /** Name of its camera. */
  readonly camera: string;
  /** JSON. */
  readonly cameraConfig: string;
  readonly type: 'main' | 'sub' | 'ext';
  /** JSON. */
  readonly config: string;
}

/** The streams in a database of Moonfire NVR with schema 7, which is not changed. @throws Fault when it is none */
export function moonfireStreams(file: string): readonly MoonfireStream[] {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const rows = database
        .prepare(
          `SELECT camera.short_name AS camera, camera.config AS cameraConfig, stream.type AS type, stream.config AS config
             FROM camera JOIN stream ON stream.camera_id = camera.id ORDER BY camera.id, stream.id`,
        )
        .all();
      return rows as unknown as readonly MoonfireStream[];
    } finally {
      database.close();
    }
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause;
    throw new Fault('Unavailable', `${file} is no database of Moonfire NVR with schema 7.`, { cause });
  }
}
