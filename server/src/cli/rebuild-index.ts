import { join } from 'node:path';
import { catalogPath } from '../archive/segments/segments.ts';
import { rebuildCatalog } from '../archive/verify/verify.ts';
import type { CommandOptions } from './check.ts';

/**
 * `vidette rebuild-index`: rebuilds the catalog from the files, and from the objects if there is a bucket.
 * Exit code 1 when files had to be left out.
 */
export async function rebuildIndex({
  dataDir,
  archiveDir,
  remote,
  out,
  tell,
}: CommandOptions): Promise<number> {
  const home = join(dataDir, 'archive');
  const report = await rebuildCatalog(archiveDir ?? home, catalogPath(home), remote);
  for (const finding of report.findings) out(`left out: ${finding}`);
  out(`${report.segments} segments, ${report.bytes} bytes.`);
  if (report.findings.length > 0) out(`Left out: ${report.findings.length}.`);
  if (report.oldCatalog) out(`The previous catalog is kept as ${report.oldCatalog}.`);
  tell?.({
    segments: report.segments,
    bytes: report.bytes,
    leftOut: report.findings,
    previousCatalog: report.oldCatalog ?? null,
  });
  return report.findings.length === 0 ? 0 : 1;
}
