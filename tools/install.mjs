// Brings node_modules in line with package-lock.json. Runs on the machine's own Node (20 or later), before any
// dependency exists, so it imports only modules of Node itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The runtime that the project includes, whatever the machine has. */
export const nodePath = join(root, 'node_modules/node/bin/node');

/**
 * From here on Node keeps what it compiles, for the processes that this one starts. Without it each of them strips the types
 * itself: 18 MB more memory, and 40 % more CPU for a unit test.
 */
export function keepCompiled() {
  process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compile');
}

/** True when every package of the lock file that this platform needs is installed in exactly that version. */
export function isInstalled() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden) || !existsSync(nodePath)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !path.includes('node_modules/') || entry.link || entry.optional || entry.peer)
      return true;
    return present[path]?.version === entry.version;
  });
}

/** Installs missing packages; ends the process with a one-line message on failure. */
export function ensureInstalled() {
  if (isInstalled()) return;
  process.stdout.write('Installing the packages in package-lock.json (once)...\n');
  // Of all package scripts only that of `node` runs: others would compile or download optional parts.
  const isDone = npm('ci', '--no-audit', '--no-fund', '--ignore-scripts') && npm('rebuild', 'node');
  if (!isDone || !existsSync(nodePath)) {
    fail('npm ci could not install the packages: is the npm registry reachable?');
  }
}

/** Whether npm succeeded. @param {...string} words */
function npm(...words) {
  const result = spawnSync('npm', [...words, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return !result.error && result.status === 0;
}

/** Prints one line and ends the process. @param {string} line @returns {never} */
export function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
