// What a release is made of: a CycloneDX list (version 1.6) and the texts of the licenses.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/install.mjs';
import { filesIn } from './packages.mjs';

/** @typedef {{ name: string, version?: string, license?: string, purl: string, integrity?: string | undefined, origin?: string, folder?: string }} Part `origin`: what has to be said of where it is from; `folder`: with the text of its license, unless that is one of the usual ones. */

/** The list of all parts, as CycloneDX JSON. @param {{ name: string, version: string }} product @param {readonly Part[]} parts @param {number} seconds */
export function materialsOf(product, parts, seconds) {
  const components = once(parts).map((one) => ({
    type: 'library',
    'bom-ref': one.purl,
    name: one.name,
    ...(one.version !== undefined && { version: one.version }),
    purl: one.purl,
    ...(one.license !== undefined && {
      licenses: [
        / (OR|AND|WITH) /.test(one.license) ? { expression: one.license } : { license: idOf(one.license) },
      ],
    }),
    ...(one.integrity?.startsWith('sha512-') && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
    }),
  }));
  const serial = createHash('sha256')
    .update(JSON.stringify([product, components]))
    .digest('hex');
  const list = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // A UUID of version 8 (RFC 9562 section 5.8), which the same content gets again.
    serialNumber: `urn:uuid:${serial.slice(0, 8)}-${serial.slice(8, 12)}-8${serial.slice(13, 16)}-8${serial.slice(17, 20)}-${serial.slice(20, 32)}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': `${product.name}@${product.version}`,
        ...product,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    dependencies: [
      {
        ref: `${product.name}@${product.version}`,
        dependsOn: components.map((component) => component['bom-ref']),
      },
    ],
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** The licenses of all parts with their texts; a text that several share is there once. @param {readonly Part[]} parts */
export function licensesOf(parts) {
  /** @type {Map<string, Part[]>} */
  const byText = new Map();
  for (const one of once(parts)) {
    const text = textOf(one);
    if (text !== undefined) byText.set(text, [...(byText.get(text) ?? []), one]);
  }
  const texts = [...byText].map(([text, of]) => {
    const heads = of.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${heads.join('\n')}\n\n${text}`;
  });
  return `${['This release contains the following packages of others, under their own licenses.\n', ...texts].join(`\n${'-'.repeat(80)}\n`)}\n`;
}

/** Where the text of a license is that a package may name without having a file with it. */
const usualTexts = {
  MIT: 'packaging/licenses/MIT.txt',
  'Apache-2.0': 'LICENSE',
  'GPL-3.0-or-later': 'packaging/licenses/GPL-3.0.txt',
};

/** Undefined for what is part of another one. @param {Part} of */
function textOf({ name, folder, license, origin }) {
  if (license === undefined) return undefined;
  const files = folder === undefined ? [] : filesIn(folder);
  const texts = files.filter((file) => /^(licen[cs]e|copying|notice)[^/]*$/i.test(file));
  if (folder !== undefined && texts.length > 0)
    return texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (!(license in usualTexts))
    throw new Error(`${name} has no file with the text of its license (${license}).`);
  const usual = readFileSync(
    join(root, usualTexts[/** @type {keyof typeof usualTexts} */ (license)]),
    'utf8',
  );
  const text = usual.trim().replace('HOLDER', holderOf(folder) ?? `the authors of ${name}`);
  return origin === undefined ? text : `${origin}\n\n${text}`;
}

/** Whom a package names as its author. @param {string | undefined} folder @returns {string | undefined} */
function holderOf(folder) {
  if (folder === undefined) return undefined;
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return typeof author === 'string' ? author : author?.name;
}

/** Each once. @param {readonly Part[]} parts */
function once(parts) {
  const byPurl = new Map(parts.map((one) => [one.purl, one]));
  return [...byPurl.keys()].sort().flatMap((key) => byPurl.get(key) ?? []);
}

/** @param {string} license */
function idOf(license) {
  return /^[A-Za-z0-9.+-]+$/.test(license) && license !== 'UNKNOWN' ? { id: license } : { name: license };
}
