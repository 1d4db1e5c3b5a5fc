import { sqliteTroubleOf } from '../../base/sqlite-trouble.ts';

/** A violation of an invariant of design/archive.md or design/s3-tier.md, by its number there. */
export interface Finding {
  readonly invariant: number;
  /** What is wrong, and where. */
  readonly text: string;
}

/** An error as the text of a finding. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'for an unknown reason';
  return sqliteTroubleOf(error) === 'damaged'
    ? `the catalog is damaged (${error.message}); stop the server and run ` + '`vidette rebuild-index`'
    : error.message;
}
