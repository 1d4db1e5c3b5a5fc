// Bundles the server's programs if the content of their sources has changed; `server/src/bundled.ts` says what for.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePath, root } from './install.mjs';
import { digestOf } from './page.mjs';

/** What the server's programs are made of. */
export const programInputs = [
  'server/src',
  'contract/src',
  'media/src',
  'package-lock.json',
  'tools/bundler.mjs',
];
const folder = join(root, 'server/dist');
const stampPath = join(folder, '.built-from');

/**
 * Builds `server/dist` unless it was built from exactly these sources. Where that fails, because the program's folder can't
 * be written to, the server runs from its sources, and needs more memory.
 */
export function ensureBundle() {
  const digest = digestOf(programInputs);
  try {
    if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === digest) {
      // A checkout may have changed the times of the sources, and nothing else.
      utimesSync(stampPath, new Date(), new Date());
      return;
    }
    rmSync(folder, { recursive: true, force: true });
    const { status } = spawnSync(nodePath, [join(root, 'tools/bundler.mjs')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status === 0) writeFileSync(stampPath, digest);
  } catch {
    // As said above.
  }
}
