import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { catalogPath } from '../archive/segments/segments.ts';
import { useEmptyDisk } from '../archive/verify/verify.ts';
import type { CommandOptions } from './check.ts';

/**
 * `vidette use-disk`: makes the server record to the empty disk in the archive folder from now on. The server
 * must be stopped.
 */
export async function useDisk({ dataDir, archiveDir, out }: CommandOptions): Promise<number> {
  const home = join(dataDir, 'archive');
  const root = archiveDir ?? home;
  if (!existsSync(catalogPath(home))) {
    out(`There is no archive in ${dataDir}: the server creates one when it starts.`);
    return 1;
  }
  await useEmptyDisk(root, catalogPath(home));
  out(`${root} is the archive from now on. Recordings on the old disk are a gap on the timeline.`);
  return 0;
}
