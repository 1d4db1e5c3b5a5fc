// `node tools/icons.mjs`: draws the icons of the installed page from its logo, `ui/public/favicon.svg`, in a
// browser. Its output is committed; run it again only when the logo changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './install.mjs';

const folder = join(root, 'ui/public');
const mark = readFileSync(join(folder, 'favicon.svg'), 'utf8');
/**
 * Systems crop maskable icons to their own shapes: the background fills the square, the logo stays in the
 * middle.
 */
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
