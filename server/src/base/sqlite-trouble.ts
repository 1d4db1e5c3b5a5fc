/** What an SQLite error means for an operator. */
export type SqliteTrouble =
  /** The file is not a database, or parts of it are overwritten or missing. */
  | 'damaged'
  /** Another process uses it. */
  | 'busy'
  /** The disk is full. */
  | 'full'
  /** The disk fails, or the file may not be opened or written. */
  | 'unreachable';

/** Primary result codes (https://www.sqlite.org/rescode.html). */
const troubles: Readonly<Record<number, SqliteTrouble>> = {
  5: 'busy',
  6: 'busy',
  3: 'unreachable',
  8: 'unreachable',
  10: 'unreachable',
  14: 'unreachable',
  11: 'damaged',
  26: 'damaged',
  13: 'full',
};

/** SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log. */
const noIndexSpace = 4874;

export function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}

/** Undefined for other errors, including SQLite errors about the statement itself. */
export function sqliteTroubleOf(error: unknown): SqliteTrouble | undefined {
  const { errcode, cause } = (error ?? {}) as { errcode?: unknown; cause?: unknown };
  if (errcode === noIndexSpace) return 'full';
  if (typeof errcode === 'number') return troubles[errcode & 0xff];
  return cause === undefined ? undefined : sqliteTroubleOf(cause);
}
