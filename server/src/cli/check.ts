import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkArchive } from '../archive/check.ts';
import { catalogPath } from '../archive/layout.ts';

export interface CommandOptions {
  /** Where the catalog lies. */
  readonly dataDir: string;
  /** The folder of the segments when it is not `archive` in the data folder. */
  readonly archiveDir?: string | undefined;
  readonly out: (line: string) => void;
}

/** `vidette check`: one line per breach of an invariant (design/archive.md), exit code 1 when there is any. Changes nothing. */
export async function check({ dataDir, archiveDir, out }: CommandOptions): Promise<number> {
  const home = join(dataDir, 'archive');
  if (!existsSync(catalogPath(home))) {
    out(`There is no archive in ${dataDir}.`);
    return 1;
  }
  let findings = 0;
  for await (const { invariant, text } of checkArchive(archiveDir ?? home, catalogPath(home))) {
    findings++;
    out(`invariant ${invariant}: ${text}`);
  }
  out(findings === 0 ? 'The archive is in order.' : `Findings: ${findings}.`);
  return findings === 0 ? 0 : 1;
}
