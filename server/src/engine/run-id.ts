import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The id of this run of the server, which its fronts share: the folder of the engines' sockets exists for as long as the
 * run. @throws system errors
 */
export function runIdIn(folder: string): string {
  const path = join(folder, 'run-id');
  const id = randomUUID();
  try {
    writeFileSync(path, id, { flag: 'wx', mode: 0o600 });
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const earlier = readFileSync(path, 'utf8');
  if (earlier.length === id.length) return earlier;
  // The front that created the file was killed before it wrote it.
  writeFileSync(path, id);
  return id;
}
