// `node tools/icons.mjs`: draws the icons of the installed page from its mark, `ui/public/favicon.svg`, by a browser.
// What it makes is committed; it runs again only when the mark changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './install.mjs';

const folder = join(root, 'ui/public');
const mark = readFileSync(join(folder, 'favicon.svg'), 'utf8');
/** Systems cut maskable icons to shapes of their own: the floor fills the square, the mark keeps to its middle. */
const maskable = mark
  .replace('rx="7" ', '')
  .replace('<path', '<g transform="translate(16 16) scale(0.72) translate(-16 -16)"><path')
  .replace('</svg>', '</g></svg>');

/** @type {readonly [name: string, svg: string, sizePx: number][]} */
const icons = [
  ['icon-192.png', mark, 192],
  ['icon-512.png', mark, 512],
  ['icon-maskable-512.png', maskable, 512],
  ['apple-touch-icon.png', maskable, 180],
];

const browser = await chromium.launch({
  executablePath: process.env.VIDETTE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox', '--disable-gpu'],
});
for (const [name, svg, size] of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
  writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
