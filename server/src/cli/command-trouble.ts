import { sqliteTroubleOf, type SqliteTrouble } from '../base/sqlite-trouble.ts';
import { systemTroubleOf } from '../base/system-trouble.ts';

const databaseWords: Readonly<Record<SqliteTrouble, string>> = {
  damaged:
    'A database of the data folder is damaged: see “When the database is lost” in the guide, page Back up.',
  busy: 'Another process uses the database.',
  full: 'The disk of the data folder is full.',
  unreachable: 'A database of the data folder can’t be read or written by this user.',
};

/** One line for an error of a command that its operator can do something about; undefined for mistakes of the program. */
export function commandTroubleOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'Fault' || error.name === 'ConfigError') return error.message;
  const database = sqliteTroubleOf(error);
  return database === undefined ? systemTroubleOf(error) : databaseWords[database];
}
