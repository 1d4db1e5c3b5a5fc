// One page of the guide: its Markdown as HTML, its headings, and its text for the search.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked } from 'marked';
import { root } from '../tools/install.mjs';

/** @typedef {{ source: string, address: string, title: string, text: string }} Page `source`: below the repository; `address`: below `help/`. */
/** @typedef {import('../ui/src/help/search.ts').GuideSection} Section */
/** @typedef {{ depth: number, anchor: string, title: string }} Heading */
/** @typedef {{ html: string, headings: Heading[], sections: Section[], copies: { from: string, to: string }[] }} Article `copies`: files that it links to or shows. */
/** @typedef {import('marked').Token} Token */

/** The anchor of a heading, as the usual renderers of Markdown generate it. @param {string} heading */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The anchors of a text, one per heading; equal ones are numbered from the second on. @param {readonly string[]} headings */
function anchorsOf(headings) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return headings.map((heading) => {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** @param {string} text */
export function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/**
 * A page as HTML.
 * @param {Page} page
 * @param {readonly Page[]} pages all of the guide
 * @returns {Article}
 */
export function articleOf(page, pages) {
  /** @type {Article['copies']} */
  const copies = [];
  const marked = new Marked();
  const tokens = marked.lexer(page.text);
  const headings = headingsOf(tokens);
  const open = [...headings];
  marked.use({
    renderer: {
      html({ text }) {
        throw new Error(`${page.source} contains HTML: ${text}`);
      },
      heading({ tokens: inline }) {
        const { depth, anchor, title } = open.shift() ?? { depth: 6, anchor: '', title: '' };
        const mark =
          depth === 1
            ? ''
            : `<a class="anchor" href="#${anchor}" aria-label="${escaped(`Link to: ${title}`)}">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(inline)}${mark}</h${depth}>\n`;
      },
      link({ href, tokens: inline }) {
        const text = this.parser.parseInline(inline);
        const target = targetOf(page, pages, href);
        if (target.isCopied) copies.push({ from: target.path, to: target.href });
        if (target.href !== '') return `<a href="${escaped(target.href)}">${text}</a>`;
        // What a release does not contain is named, so that it can be found in the sources.
        return text.includes(posix.basename(target.path))
          ? text
          : `${text} (<code>${escaped(target.path)}</code>)`;
      },
      image({ href, text }) {
        const from = posix.join(posix.dirname(page.source), href);
        const to = `images/${posix.basename(href)}`;
        copies.push({ from, to });
        const { width, height } = webpSize(readFileSync(join(root, from)));
        return `<img src="${to}" alt="${escaped(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      code({ text, lang = '' }) {
        return `<pre tabindex="0"${lang === '' ? '' : ` data-language="${escaped(lang)}"`}><code>${escaped(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        const inline = (/** @type {Token[]} */ cell) => this.parser.parseInline(cell);
        const cells = (/** @type {typeof header} */ row, /** @type {string} */ name) =>
          `<tr>${row.map((cell) => `<${name}>${inline(cell.tokens)}</${name}>`).join('')}</tr>`;
        const label = escaped(header.map((cell) => plainText(cell.tokens)).join(', '));
        const body = rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="wide" role="region" tabindex="0" aria-label="${label}"><table><thead>${cells(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parser(tokens), headings, sections: sectionsOf(page, tokens, headings), copies };
}

/** @param {readonly Token[]} tokens @returns {Heading[]} */
function headingsOf(tokens) {
  const found = tokens.flatMap((token) =>
    token.type === 'heading' ? [/** @type {import('marked').Tokens.Heading} */ (token)] : [],
  );
  const anchors = anchorsOf(found.map((token) => token.text));
  return found.map((token, place) => ({
    depth: token.depth,
    anchor: anchors[place] ?? '',
    title: plainText(token.tokens),
  }));
}

/** @param {Page} page @param {readonly Token[]} tokens @param {readonly Heading[]} headings @returns {Section[]} */
function sectionsOf(page, tokens, headings) {
  const open = [...headings];
  /** @type {Section[]} */
  const sections = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type === 'heading') {
      const { depth, anchor, title } = open.shift() ?? { depth: 6, anchor: '', title: '' };
      const address = depth === 1 ? page.address : `${page.address}#${anchor}`;
      sections.push({ address, page: page.title, heading: title, text: '' });
    } else if (last)
      sections[sections.length - 1] = { ...last, text: `${last.text} ${plainText([token])}`.trim() };
  }
  return sections;
}

/** What a reader sees of it, in one line. @param {readonly Token[]} tokens @returns {string} */
function plainText(tokens) {
  return tokens
    .map((token) => {
      if (token.type === 'table')
        return [token['header'], ...token['rows']]
          .flat()
          .map((cell) => plainText(cell.tokens))
          .join(' ');
      if (token.type === 'list') return plainText(token['items']);
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? token.text : token.raw;
    })
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Where a link of a page leads to; `href` is empty if the guide does not contain the target.
 * @param {Page} page
 * @param {readonly Page[]} pages
 * @param {string} href
 */
function targetOf(page, pages, href) {
  if (/^(https?:|#)/.test(href)) return { href, path: '', isCopied: false };
  const [path = '', anchor] = posix.join(posix.dirname(page.source), href).split('#');
  const other = pages.find(({ source }) => source === path);
  if (other)
    return {
      href: anchor === undefined ? other.address : `${other.address}#${anchor}`,
      path,
      isCopied: false,
    };
  return path.endsWith('.yaml') || path.endsWith('.json')
    ? { href: posix.basename(path), path, isCopied: true }
    : { href: '', path, isCopied: false };
}

/** Of a lossy or extended WebP file (RFC 9649, sections 2.5 and 2.7). @param {Buffer} bytes */
function webpSize(bytes) {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  throw new Error(`The image is not a WebP file that this program can measure: ${kind}`);
}
