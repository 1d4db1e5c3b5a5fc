// Installs what is missing and builds the page if it changed, as `npm start` does before it runs the product.
import { ensureInstalled } from './install.mjs';
import { ensurePage } from './page.mjs';

ensureInstalled();
ensurePage();
