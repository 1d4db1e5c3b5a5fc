// Bundles the modules of the server's programs into `server/dist`. Started by `bundle.mjs`, on the project's own Node.
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './install.mjs';

const folder = join(root, 'server/dist');
const programs = ['main', 'front', 'engine', 'plan'];
/** Loaded only where they are needed, and large or native: they stay packages. */
const loadedLater = /^(node-av|pg|ssh2|web-push|yaml|mqtt|nodemailer|@aws-sdk|@smithy)(\/|$)/;

/**
 * A module keeps the place of its source: it finds files, threads and programs beside it.
 * @type {import('rolldown').Plugin}
 */
const ownPlaces = {
  name: 'own-places',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules') || id.startsWith('\0'))
      return undefined;
    const place = JSON.stringify(relative(folder, id));
    return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(programs.map((name) => [name, join(root, `server/src/${name}-program.ts`)])),
  platform: 'node',
  external: loadedLater,
  logLevel: 'warn',
  plugins: [ownPlaces],
});
await bundle.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js' });
