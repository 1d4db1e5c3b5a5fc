import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkArchive } from '../archive/check.ts';
import { catalogPath } from '../archive/layout.ts';

export interface CommandOptions {
  readonly dataDir: string;
  readonly out: (line: string) => void;
}

/** `vidette check`: one line per breach of an invariant (design/archive.md), exit code 1 when there is any. Changes nothing. */
export async function check({ dataDir, out }: CommandOptions): Promise<number> {
  const root = join(dataDir, 'archive');
  if (!existsSync(catalogPath(root))) {
    out(`There is no archive in ${dataDir}.`);
    return 1;
  }
  let findings = 0;
  for await (const { invariant, text } of checkArchive(root)) {
    findings++;
    out(`invariant ${invariant}: ${text}`);
  }
  out(findings === 0 ? 'The archive is in order.' : `${findings} findings.`);
  return findings === 0 ? 0 : 1;
}
