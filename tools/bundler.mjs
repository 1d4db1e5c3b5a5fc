// Bundles the modules of the server's programs: into `server/dist`, started by `bundle.mjs` on the project's own Node, and for a
// release.
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './install.mjs';

const folder = join(root, 'server/dist');
const programs = ['main', 'front', 'engine', 'plan'];
/** Loaded only where they are needed, and large or native: they stay packages. */
const loadedLater = /^(node-av|pg|ssh2|web-push|yaml|mqtt|nodemailer|@aws-sdk|@smithy)(\/|$)/;
/**
 * V8 keeps the source of what runs, with two bytes for each character as soon as one needs them: ASCII alone, and no comments
 * but licenses and the modules' names, takes 3 MB instead of 6 in a front.
 * @type {import('rolldown').OutputOptions}
 */
const output = {
  dir: folder,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  charset: 'ascii',
  comments: { legal: true, annotation: false, jsdoc: false },
};

/**
 * A module keeps the place of its source: it finds files, threads and programs beside it. In a release all of these are
 * JavaScript.
 * @param {boolean} isRelease @returns {import('rolldown').Plugin}
 */
const ownPlaces = (isRelease) => ({
  name: 'own-places',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules') || id.startsWith('\0'))
      return undefined;
    const source = relative(folder, id);
    const place = JSON.stringify(isRelease ? source.replace(/\.ts$/, '.js') : source);
    const placed = code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
    return isRelease ? placed.replace(/(\bnew URL\('\.[^'\n]*)\.ts'/g, "$1.js'") : placed;
  },
});

/** @param {boolean} isRelease */
function bundle(isRelease) {
  return rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(root, `server/src/${name}-program.ts`)])),
    // Comments name the modules by their paths below it.
    cwd: root,
    platform: 'node',
    external: loadedLater,
    logLevel: 'warn',
    plugins: [ownPlaces(isRelease)],
  });
}

/** The files of a release's bundle, below `server/dist`. @returns {Promise<{ name: string, text: string }[]>} */
export async function releaseBundle() {
  const { output: files } = await (await bundle(true)).generate(output);
  return files.map((file) => ({
    name: file.fileName,
    text: file.type === 'chunk' ? file.code : String(file.source),
  }));
}

if (process.argv[1] === join(root, 'tools/bundler.mjs')) await (await bundle(false)).write(output);
