// What a release is made of: a CycloneDX list (version 1.6) and the texts of the licenses.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './packages.mjs';

/** @typedef {import('./packages.mjs').Package} Package */

/** The list of all parts, as CycloneDX JSON. @param {{ name: string, version: string }} product @param {readonly Package[]} packages @param {number} seconds */
export function materialsOf(product, packages, seconds) {
  const components = once(packages).map((one) => ({
    type: 'library',
    'bom-ref': purlOf(one),
    name: one.name,
    version: one.version,
    purl: purlOf(one),
    licenses: [
      / (OR|AND|WITH) /.test(one.license) ? { expression: one.license } : { license: idOf(one.license) },
    ],
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

/** The licenses of all parts with their texts; a text that several share is there once. @param {readonly Package[]} packages */
export function licensesOf(packages) {
  /** @type {Map<string, Package[]>} */
  const byText = new Map();
  for (const one of once(packages)) {
    const text = textOf(one);
    byText.set(text, [...(byText.get(text) ?? []), one]);
  }
  const parts = [...byText].map(([text, of]) => {
    const heads = of.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${heads.join('\n')}\n\n${text}`;
  });
  return `${['This release contains the following packages of others, under their own licenses.\n', ...parts].join(`\n${'-'.repeat(80)}\n`)}\n`;
}

/** @param {Package} of */
function textOf({ folder, license }) {
  const files = filesIn(folder).filter((file) => /^(licen[cs]e|copying|notice)[^/]*$/i.test(file));
  if (files.length === 0)
    return `The package has no file with the text of its license, which it names as ${license}.`;
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

/** Each once, by name and version. @param {readonly Package[]} packages */
function once(packages) {
  const byPurl = new Map(packages.map((one) => [purlOf(one), one]));
  return [...byPurl.keys()].sort().flatMap((key) => byPurl.get(key) ?? []);
}

/** @param {Package} of */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** @param {string} license */
function idOf(license) {
  return /^[A-Za-z0-9.+-]+$/.test(license) && license !== 'UNKNOWN' ? { id: license } : { name: license };
}
