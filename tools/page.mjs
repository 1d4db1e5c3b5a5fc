// Builds the page if the content of its sources has changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, fail, nodePath, root } from './install.mjs';

const inputs = [
  'ui/src',
  'ui/public',
  'ui/index.html',
  'ui/share.html',
  'ui/offline.html',
  'ui/help.html',
  'ui/offline-files.ts',
  'ui/first-files.ts',
  'ui/vite.config.ts',
  'contract/src',
  'media/src',
  'package-lock.json',
  'guide',
  'CHANGELOG.md',
  'SECURITY.md',
  'SUPPORT.md',
  'packaging/help-article.mjs',
  'packaging/help-pages.mjs',
];
const stampPath = join(root, 'ui/dist/.built-from');

/** Builds `ui/dist` unless it was built from exactly these sources. */
export function ensurePage() {
  const digest = digestOf(inputs);
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === digest) return;
  // A pulled change may need a package that is not there yet.
  ensureInstalled();
  process.stdout.write('Building the page (once per change)...\n');
  const isBuilt =
    run(join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn') &&
    run(join(root, 'packaging/help-pages.mjs'));
  if (!isBuilt) fail('The page could not be built; see the lines above for the reason.');
  writeFileSync(stampPath, digest);
}

/** Whether a program succeeded in the folder of the page. @param {...string} words */
function run(...words) {
  const { status } = spawnSync(nodePath, words, {
    cwd: join(root, 'ui'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}

/** Of the content of files and folders, but not of tests. @param {string[]} paths */
export function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, path);
  return hash.digest('hex');
}

/** @param {import('node:crypto').Hash} hash @param {string} path */
function addTo(hash, path) {
  const full = join(root, path);
  if (!existsSync(full)) return;
  const entries = path.includes('.') ? undefined : readdirSync(full, { withFileTypes: true });
  if (!entries) {
    hash.update(path).update('\0').update(readFileSync(full)).update('\0');
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const child = `${path}/${entry.name}`;
    if (entry.isDirectory()) addTo(hash, child);
    else if (!entry.name.includes('.test.'))
      hash
        .update(child)
        .update('\0')
        .update(readFileSync(join(root, child)))
        .update('\0');
  }
}
