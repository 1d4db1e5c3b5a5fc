import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { articleOf } from '../packaging/help-article.mjs';
import { helpFiles } from '../packaging/help-pages.mjs';
import { root } from './install.mjs';

const template = readFileSync(join(root, 'ui/help.html'), 'utf8');
const files = helpFiles(template);
const pages = [...files].flatMap(([address, content]) =>
  address.endsWith('.html') && typeof content === 'string' ? [{ address, html: content }] : [],
);

function textAt(address: string): string {
  const content = files.get(address);
  return typeof content === 'string' ? content : '';
}

const idsIn = (html: string) => [...html.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id);

test('every link and image in the built guide has a target, and every page is in its contents', () => {
  const broken: string[] = [];
  const ids = new Map(pages.map(({ address, html }) => [address, new Set(idsIn(html))]));
  for (const { address, html } of pages) {
    assert.equal(ids.get(address)?.size, idsIn(html).length, `${address}: an id is there twice`);
    // Those of the template belong to the application.
    for (const [, link = ''] of html.matchAll(/\b(?:href|src)="((?!\/)[^"]+)"/g)) {
      if (/^https?:/.test(link)) continue;
      const [name = '', anchor] = link.split('#');
      const target = name === '' ? address : name;
      const content = files.get(target);
      const isThere =
        typeof content === 'object' ? existsSync(join(root, content.from)) : content !== undefined;
      if (!isThere || (anchor !== undefined && ids.get(target)?.has(anchor) !== true))
        broken.push(`${address}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
  const sources = readdirSync(join(root, 'guide')).filter(
    (file) => file.endsWith('.md') && file !== 'README.md',
  );
  const linked = new Set(
    [...(pages[0]?.html ?? '').matchAll(/href="([\w-]+\.html)"/g)].map(([, page]) => page),
  );
  for (const source of sources) assert.ok(linked.has(source.replace(/\.md$/, '.html')), source);
});

test('what the application links to is in the guide', () => {
  const named = readdirSync(join(root, 'ui/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const text = readFileSync(join(root, 'ui/src', file), 'utf8');
      return [...text.matchAll(/<GuideLink page="([^"]+)"|\bguideAddress\('([^']+)'/g)];
    })
    .map(([, inElement, inCall]) => inElement ?? inCall ?? '');
  assert.ok(named.length > 0);
  for (const page of named) assert.ok(files.has(`${page}.html`), page);
});

test('the pages contain no script but the application’s, and text stays text', () => {
  for (const { address, html } of pages) {
    assert.deepEqual(html.match(/<script/g)?.length, template.match(/<script/g)?.length, address);
    assert.doesNotMatch(html, /<style|\son\w+=|\sstyle=/, address);
  }
  const page = {
    ...{ source: 'guide/x.md', address: 'x.html', title: 'X' },
    text: '# X\n\n`<b>` & "q"\n\n```\n<script>\n```\n\n| a |\n| - |\n| `<i>` |\n',
  };
  const { html, sections } = articleOf(page, [page]);
  assert.match(html, /<code>&lt;b&gt;<\/code> &amp; &quot;q&quot;/);
  assert.match(html, /<pre tabindex="0"><code>&lt;script&gt;<\/code><\/pre>/);
  assert.match(html, /<td><code>&lt;i&gt;<\/code><\/td>/);
  assert.deepEqual(sections, [
    { address: 'x.html', page: 'X', heading: 'X', text: '<b> & "q" <script> a <i>' },
  ]);
  const foreign = { ...page, text: '# X\n\n<b>bold</b>\n' };
  assert.throws(() => articleOf(foreign, [foreign]), /guide\/x\.md contains HTML: <b>/);
});

test('a link to what a release does not contain names it, and equal headings get anchors of their own', () => {
  const page = {
    ...{ source: 'guide/x.md', address: 'x.html', title: 'X' },
    text: '# X\n\n[Why](../design/live.md), [design/live.md](../design/live.md)\n\n## Same\n\n## Same\n',
  };
  const { html, headings } = articleOf(page, [page]);
  assert.match(html, /<p>Why \(<code>design\/live\.md<\/code>\), design\/live\.md<\/p>/);
  assert.deepEqual(
    headings.slice(1).map(({ anchor }) => anchor),
    ['same', 'same-1'],
  );
});

test('every section is in the index of the search, under an address of its page', () => {
  const sections = JSON.parse(textAt('search.json')) as { address: string; text: string }[];
  const update = sections.find(({ address }) => address === 'install.html#update');
  assert.match(update?.text ?? '', /bin\/vidette upgrade/);
  for (const { address } of sections) assert.ok(files.has(address.split('#')[0] ?? ''), address);
});

test('the pictures are used, at most 100 kB each, and one megabyte together', () => {
  const folder = join(root, 'guide/images');
  const images = readdirSync(folder);
  const sizes = images.map((image) => statSync(join(folder, image)).size);
  assert.ok(Math.max(...sizes) <= 100_000);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 1_000_000);
  for (const image of images) {
    const place = `images/${image}`;
    assert.deepEqual(files.get(place), { from: `guide/${place}` });
    const shown = pages.find(({ html }) => html.includes(`src="${place}"`));
    assert.match(
      shown?.html ?? '',
      new RegExp(`src="${place}" alt="[^"]+" width="\\d+" height="\\d+"`),
      image,
    );
  }
});
