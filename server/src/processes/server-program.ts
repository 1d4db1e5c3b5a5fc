import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The programs that a supervisor starts, in one version. */
export interface ServerProgram {
  /** The folder with its package.json. */
  readonly folder: string;
  readonly version: string;
  /** Node itself. */
  readonly execPath: string;
  readonly front: URL;
  readonly engine: URL;
}

/** The folder of the program that runs now. */
export const ownFolder = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** How the operator runs a command of the program that runs now. A release has a program of its own for that. */
export const ownCommand = import.meta.url.endsWith('.js') ? 'vidette' : 'npm run vidette --';

/** @throws Error when the folder does not contain Vidette */
export function programIn(folder: string): ServerProgram {
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  return {
    folder,
    version: versionIn(folder),
    execPath: existsSync(node) ? node : process.execPath,
    front: pathToFileURL(mainFile(folder, 'front-main')),
    engine: pathToFileURL(mainFile(folder, 'engine-main')),
  };
}

/** A file of the program in a folder: JavaScript in a release, TypeScript in a checkout. */
export function mainFile(folder: string, name: 'main' | 'front-main' | 'engine-main'): string {
  const path = join(folder, 'server', 'src', name);
  return existsSync(`${path}.js`) ? `${path}.js` : `${path}.ts`;
}

function versionIn(folder: string): string {
  const path = join(folder, 'package.json');
  const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown; version?: unknown };
  if (name !== 'vidette' || typeof version !== 'string')
    throw new Error(`${folder} does not contain Vidette.`);
  return version;
}
