// Builds the guide as pages of the product, `ui/dist/help`, from the Markdown in `guide/` and the documents beside it. Runs
// after Vite, whose `help.html` has the style sheet and the script of these pages (design/shipping.md).
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { licensesOf } from './materials.mjs';
import { lockedPackages, pagePackages, serverPackages } from './packages.mjs';
import { articleOf, escaped } from './help-article.mjs';
import { root } from '../tools/install.mjs';

/** @typedef {import('./help-article.mjs').Page} Page */
/** @typedef {import('./help-article.mjs').Article} Article */
/** @typedef {{ title: string, items: Page[] }} Group */

/** The first page; it lists the others in their order. */
const first = 'guide/README.md';

/** The pages of the guide by group, as its first page lists them. @returns {Group[]} */
function guideGroups() {
  /** @type {Group[]} */
  const groups = [{ title: '', items: [pageOf(first)] }];
  for (const line of readFileSync(join(root, first), 'utf8').split('\n')) {
    const [, title] = /^## (.+)$/.exec(line) ?? [];
    if (title !== undefined) groups.push({ title, items: [] });
    const [, link] = /^- \[[^\]]+\]\(([^)#]+\.md)\)/.exec(line) ?? [];
    if (link !== undefined) groups.at(-1)?.items.push(pageOf(posix.join(posix.dirname(first), link)));
  }
  return groups;
}

/** @param {string} source @returns {Page} */
function pageOf(source) {
  const text = readFileSync(join(root, source), 'utf8');
  const [, title] = /^# ([^&<>`\n]+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${source} has no title of plain text.`);
  const name = posix.basename(source, '.md').toLowerCase();
  return { source, address: source === first ? 'index.html' : `${name}.html`, title, text };
}

/**
 * All files below `help/`.
 * @param {string} template HTML with an empty element `root`
 * @returns {Map<string, string | { from: string }>} by address: a text, or the file to copy, below the repository
 */
export function helpFiles(template) {
  const groups = guideGroups();
  const pages = groups.flatMap(({ items }) => items);
  const articles = pages.map((page) => ({ page, article: articleOf(page, pages) }));
  const locked = lockedPackages();
  /** @type {ReturnType<typeof helpFiles>} */
  const files = new Map();
  for (const { page, article } of articles) {
    files.set(page.address, filled(template, page, article, contentsOf(groups, page, article)));
    for (const { from, to } of article.copies) files.set(to, { from });
  }
  files.set('search.json', JSON.stringify(articles.flatMap(({ article }) => article.sections)));
  files.set('third-party-licenses.txt', licensesOf([...serverPackages(locked), ...pagePackages(locked)]));
  return files;
}

/** @param {string} template @param {Page} page @param {Article} article @param {string} contents */
function filled(template, page, article, contents) {
  const body = [
    '<a class="skip" href="#content">Skip to the content</a>',
    '<header class="bar">',
    '<a class="home" href="index.html"><img src="/ui/favicon.svg" alt="" width="20" height="20">Guide</a>',
    '<button type="button" popovertarget="contents">Contents</button>',
    '<a class="open" href="/ui/">Open Vidette</a>',
    '</header>',
    '<div class="columns">',
    contents,
    `<main id="content">${article.html}</main>`,
    '</div>',
  ].join('\n');
  return template
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(page.title)}</title>`)
    .replace('<div id="root"></div>', () => body);
}

/** The search, and links to all pages and to the headings of this one. @param {readonly Group[]} groups @param {Page} here @param {Article} article */
function contentsOf(groups, here, { headings }) {
  const inside = headings
    .filter(({ depth }) => depth === 2)
    .map(({ anchor, title }) => `<li><a href="#${anchor}">${escaped(title)}</a></li>`);
  const lists = groups.map(({ title, items }) => {
    const entries = items.map((page) => {
      const isHere = page.address === here.address;
      const below = isHere && here.source !== first && inside.length > 0 ? `<ul>${inside.join('')}</ul>` : '';
      return `<li><a href="${page.address}"${isHere ? ' aria-current="page"' : ''}>${escaped(page.title)}</a>${below}</li>`;
    });
    return `${title === '' ? '' : `<h2>${escaped(title)}</h2>`}<ul>${entries.join('')}</ul>`;
  });
  return [
    '<nav class="contents" id="contents" popover aria-label="Contents">',
    '<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the guide" maxlength="100" hidden>',
    '<p id="results-count" role="status"></p><ol id="results"></ol>',
    ...lists,
    '</nav>',
  ].join('\n');
}

if (process.argv[1] === join(root, 'packaging/help-pages.mjs')) {
  const folder = join(root, 'ui/dist/help');
  const template = join(root, 'ui/dist/help.html');
  for (const [address, content] of helpFiles(readFileSync(template, 'utf8'))) {
    const path = join(folder, address);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === 'string') writeFileSync(path, content);
    else copyFileSync(join(root, content.from), path);
  }
  rmSync(template);
}
