import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkArchive } from '../archive/verify/verify.ts';
import type { ObjectStorageOptions } from '../archive/object-storage/object-storage.ts';
import { catalogPath } from '../archive/segments/segments.ts';
import type { Tell } from './answer.ts';

export interface CommandOptions {
  /** Where the catalog is. */
  readonly dataDir: string;
  /** The segment folder when it is not `archive` in the data folder. */
  readonly archiveDir?: string | undefined;
  /** The bucket for old footage, if the configuration names one. */
  readonly remote?: ObjectStorageOptions | undefined;
  readonly out: (line: string) => void;
  readonly tell?: Tell | undefined;
}

export interface CheckOptions extends CommandOptions {
  /** Whether the bucket is checked, and whether each object is read to the end. */
  readonly objects?: 'listed' | 'read' | undefined;
}

/**
 * `vidette check`: prints one line per violated invariant (design/archive.md, design/s3-tier.md); exit code 1
 * when there is any. Changes nothing.
 */
export async function check({
  dataDir,
  archiveDir,
  remote,
  objects,
  out,
  tell,
}: CheckOptions): Promise<number> {
  const home = join(dataDir, 'archive');
  if (!existsSync(catalogPath(home))) {
    out(`There is no archive in ${dataDir}.`);
    return 1;
  }
  if (objects && !remote) {
    out('The configuration names no bucket.');
    return 1;
  }
  let findings = 0;
  const told: { invariant: number; text: string }[] = [];
  const inObjectStorage = objects && remote && { ...remote, readsAll: objects === 'read' };
  for await (const { invariant, text } of checkArchive(
    archiveDir ?? home,
    catalogPath(home),
    inObjectStorage,
  )) {
    findings++;
    out(`invariant ${invariant}: ${text}`);
    if (tell) told.push({ invariant, text });
  }
  tell?.({ findings: told });
  out(findings === 0 ? 'The archive is in order.' : `Findings: ${findings}.`);
  return findings === 0 ? 0 : 1;
}
