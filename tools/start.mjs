// `npm start`: installs what is missing, builds the page if it changed, and runs the product with its embedded defaults.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, keepCompiled, nodePath, root } from './install.mjs';
import { ensurePage } from './page.mjs';

ensureInstalled();
ensurePage();
keepCompiled();
const server = spawn(nodePath, [join(root, 'server/src/main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => server.kill(signal));
}
server.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
