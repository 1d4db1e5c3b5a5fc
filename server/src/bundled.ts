/** Starts a program of the server, from the bundle of its modules where there is one. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareProgram } from './program.ts';

/** From the sources. */
const programs = {
  main: () => import('./main-program.ts'),
  front: () => import('./front-program.ts'),
  engine: () => import('./engine-program.ts'),
  plan: () => import('./plan-program.ts'),
};

/** Written last (`tools/bundle.mjs`), and part of each release. */
const bundleFolder = new URL('../dist/', import.meta.url);
const bundleStamp = new URL('.built-from', bundleFolder);
const sourceFolders = ['./', '../../contract/src/', '../../media/src/'];

/**
 * Loads the program, which runs from then on. A front has 1 300 modules: as a bundle they take half a second of CPU and
 * 15 MB less. Everything that the program imports comes from the same place, because modules have state.
 */
export async function start(name: keyof typeof programs): Promise<void> {
  prepareProgram();
  if (isBundled()) await import(new URL(`${name}.js`, bundleFolder).href);
  else await programs[name]();
}

/** Whether there is a bundle, and no source was changed after it was made. */
function isBundled(): boolean {
  if (!existsSync(bundleStamp)) return false;
  const builtMs = statSync(bundleStamp).mtimeMs;
  return sourceFolders.every((folder) => isOlder(fileURLToPath(new URL(folder, import.meta.url)), builtMs));
}

/** Than that time: all sources in a folder. Takes some milliseconds for a thousand; a release has only JavaScript. */
function isOlder(folder: string, timeMs: number): boolean {
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isOlder(path, timeMs);
    return !entry.name.endsWith('.ts') || statSync(path).mtimeMs <= timeMs;
  });
}
