// `npm run bench NAME [ARGS]`: runs one of the measurements in bench/.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBundle } from './bundle.mjs';
import { ensureInstalled, fail, keepCompiled, nodePath, root } from './install.mjs';
import { ensurePage } from './page.mjs';

const [name = '', ...rest] = process.argv.slice(2);
const script = join(root, 'bench', `${name}.ts`);
const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  // The others are parts of these.
  .filter((bench) =>
    readFileSync(join(root, 'bench', `${bench}.ts`), 'utf8').includes(`npm run bench ${bench}`),
  );
if (!name || !existsSync(script)) fail(`npm run bench NAME, where NAME is one of: ${names.join(', ')}`);
ensureInstalled();
ensurePage();
ensureBundle();
keepCompiled();
process.exit(spawnSync(nodePath, [script, ...rest], { stdio: 'inherit', cwd: root }).status ?? 1);
