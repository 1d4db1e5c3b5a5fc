// The files of the program in a release: the server as JavaScript, the page, Node, the packages, and the documents.
import { stripTypeScriptTypes } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { programInputs } from '../tools/bundle.mjs';
import { releaseBundle } from '../tools/bundler.mjs';
import { root } from '../tools/install.mjs';
import { digestOf } from '../tools/page.mjs';
import { ffmpegParts } from './ffmpeg-parts.mjs';
import { manPage, manPath } from './man-page.mjs';
import { licensesOf, materialsOf } from './materials.mjs';
import {
  ffmpegPackages,
  filesIn,
  lockedPackages,
  nodePackage,
  packageFiles,
  pagePackages,
  serverPackages,
} from './packages.mjs';
import { copiedFile, textFile } from './tar.mjs';

/** @typedef {import('./tar.mjs').Entry} Entry */
/** @typedef {{ arch: import('./packages.mjs').Arch, version: string, seconds: number, level: number, maintainer: string }} How A release: `seconds` is the time of all files, since the epoch; `level` that of Zstandard; `maintainer` who answers for it, as in deb-control(5). */

/** The workspaces that run on the server. */
const workspaces = ['contract', 'media', 'server'];
const documents = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'SUPPORT.md',
  'packaging/vidette.service',
];

/** Of the sources. */
export function sourceVersion() {
  return String(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
}

/** The packages of others in it: Node, the server's, and those whose code is in the page. @param {import('./packages.mjs').Arch} arch */
export function programParts(arch) {
  const locked = lockedPackages();
  return [nodePackage(locked, arch), ...serverPackages(locked), ...pagePackages(locked)];
}

/** Everything but FFmpeg. @param {How} how @returns {Promise<Entry[]>} */
export async function programFiles({ arch, version, seconds }) {
  const locked = lockedPackages();
  const node = nodePackage(locked, arch);
  const packages = serverPackages(locked);
  const parts = programParts(arch);
  return [
    copiedFile('bin/vidette', join(root, 'packaging/vidette.sh'), 0o755),
    textFile('package.json', manifestOf('package.json', { version })),
    ...workspaces.flatMap((workspace) => workspaceFiles(workspace)),
    ...(await bundleFiles()),
    ...filesIn(join(root, 'ui/dist'))
      .filter((file) => file !== '.built-from')
      .map((file) => copiedFile(`ui/dist/${file}`, join(root, 'ui/dist', file))),
    ...packages.flatMap((one) => packageFiles(one)),
    ...['contract', 'media'].map((workspace) =>
      link(`node_modules/@vidette/${workspace}`, `../../${workspace}`),
    ),
    copiedFile('node_modules/node/bin/node', join(node.folder, 'bin/node'), 0o755),
    copiedFile('node_modules/node/LICENSE', join(node.folder, 'LICENSE')),
    ...documents.map((file) => copiedFile(file, join(root, file))),
    ...filesIn(join(root, 'guide')).map((file) => copiedFile(`guide/${file}`, join(root, 'guide', file))),
    textFile(manPath, manPage({ version, seconds })),
    textFile('sbom.cdx.json', materialsOf({ name: 'vidette', version }, parts, seconds)),
    textFile('THIRD-PARTY-LICENSES.txt', licensesOf(parts)),
  ];
}

/** The FFmpeg worker's packages, to be unpacked over the program. @param {How} how @returns {Entry[]} */
export function ffmpegFiles({ arch, version, seconds }) {
  const packages = ffmpegPackages(lockedPackages(), arch);
  const native = packages.find(({ name }) => name === `@seydx/node-av-linux-${arch}`);
  const parts = [...packages, ...(native ? ffmpegParts(native.folder) : [])];
  return [
    ...packages.flatMap((one) => packageFiles(one)),
    textFile('sbom-ffmpeg.cdx.json', materialsOf({ name: 'vidette-ffmpeg', version }, parts, seconds)),
    textFile('THIRD-PARTY-LICENSES-FFMPEG.txt', licensesOf(parts)),
  ];
}

/** @param {string} path @param {string} target @returns {Entry} */
function link(path, target) {
  return { path, kind: 'link', target };
}

/** Its sources as JavaScript, without tests. @param {string} workspace @returns {Entry[]} */
function workspaceFiles(workspace) {
  const files = filesIn(join(root, workspace, 'src')).filter(
    (file) => !/\.test\.|-fixture\.|(^|\/)fixtures\//.test(file),
  );
  const entries = files.map((file) => {
    const path = `${workspace}/src/${file}`;
    return file.endsWith('.ts')
      ? textFile(path.replace(/\.ts$/, '.js'), compiled(readFileSync(join(root, path), 'utf8')))
      : copiedFile(path, join(root, path));
  });
  assertComplete(entries);
  const exports = workspace === 'server' ? {} : { exports: { './*': './src/*.js' } };
  return [
    textFile(`${workspace}/package.json`, manifestOf(`${workspace}/package.json`, exports)),
    ...entries,
  ];
}

/**
 * What the programs run from (`server/src/bundled.ts`); threads, FFmpeg's processes and other files are found beside the
 * sources.
 * @returns {Promise<Entry[]>}
 */
async function bundleFiles() {
  const files = await releaseBundle();
  return [
    ...files.map(({ name, text }) => textFile(`server/dist/${name}`, text)),
    textFile('server/dist/.built-from', digestOf(programInputs)),
  ];
}

/**
 * JavaScript with the lines and columns of the source. Without types in it a process of the server needs 18 MB less, which
 * Node's own compiler for TypeScript occupies. @param {string} source
 */
function compiled(source) {
  return stripTypeScriptTypes(source).replace(
    /(\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)'(\.[^'\n]*)\.ts'/g,
    (_, before, path) => `${before}'${path}.js'`,
  );
}

/** Every file that one of them imports is among them. @param {readonly Entry[]} entries */
function assertComplete(entries) {
  const paths = new Set(entries.map(({ path }) => path));
  for (const entry of entries) {
    if (entry.kind !== 'file' || !entry.path.endsWith('.js')) continue;
    for (const [, specifier = ''] of entry
      .bytes()
      .toString()
      .matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(\.[^'\n]*\.[jt]s)'/g)) {
      const target = posix.join(posix.dirname(entry.path), specifier);
      if (!paths.has(target))
        throw new Error(`${entry.path} imports ${specifier}, which the release does not contain.`);
    }
  }
}

/** What Node reads of a package.json. @param {string} path @param {object} changes */
function manifestOf(path, changes) {
  const {
    name: packageName,
    version: of,
    license,
    type,
    exports,
  } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  const kept = { name: packageName, version: of, private: true, license, type, exports };
  return `${JSON.stringify({ ...kept, ...changes }, null, 2)}\n`;
}
