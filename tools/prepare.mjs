// What `npm start` does before it runs the product: installs what is missing, builds the page and compiles the server if
// they changed.
import { ensureBundle } from './bundle.mjs';
import { ensureCompiled } from './compile.mjs';
import { ensureInstalled } from './install.mjs';
import { ensurePage } from './page.mjs';

ensureInstalled();
ensurePage();
ensureBundle();
await ensureCompiled();
