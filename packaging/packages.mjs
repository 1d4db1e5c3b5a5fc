// The npm packages of a release, as package-lock.json names them: those that the server loads, those whose code is in the page,
// and those of the FFmpeg worker.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/install.mjs';
import { copiedFile } from './tar.mjs';

/** @typedef {{ version: string, license?: string, integrity?: string, link?: boolean, resolved?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Locked */
/** @typedef {{ name: string, version: string, license: string, purl: string, integrity: string | undefined, path: string, folder: string }} Package `path`: below node_modules of the release; `folder`: where its files are now. */
/** @typedef {'x64' | 'arm64'} Arch */

/**
 * Node's own executables. package-lock.json doesn't name them: the package `node` gets that of the machine when it is
 * installed.
 */
const nodePackages = {
  version: '24.21.0',
  integrity: {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** Packages of other platforms, which npm does not install here. */
const cache = join(root, '.cache/packages');

/** @returns {Record<string, Locked>} */
export function lockedPackages() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

/**
 * What the workspaces or packages named need to run, without optional dependencies.
 * @param {Record<string, Locked>} locked
 * @param {readonly string[]} starts keys of the lock file
 * @returns {string[]} keys of the lock file, sorted
 */
function closureOf(locked, starts) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = [...starts];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    for (const name of Object.keys(locked[key]?.dependencies ?? {})) {
      const place = placeOf(locked, key, name);
      const link = locked[place];
      open.push(link?.link && link.resolved !== undefined ? link.resolved : place);
    }
  }
  return [...found].filter((key) => key.includes('node_modules/')).sort();
}

/** Where Node finds a package that another one imports. @param {Record<string, Locked>} locked @param {string} from @param {string} name */
function placeOf(locked, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (locked[place]) return place;
    if (folder === '') throw new Error(`package-lock.json has no ${name}, which ${from} needs.`);
  }
}

/** @param {Record<string, Locked>} locked @param {string} key @returns {Package} */
function packageAt(locked, key) {
  const entry = locked[key];
  if (!entry) throw new Error(`package-lock.json has no ${key}.`);
  const name = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return {
    name,
    version: entry.version,
    license: entry.license ?? 'UNKNOWN',
    purl: purlOf(name, entry.version),
    integrity: entry.integrity,
    path: key,
    folder: join(root, key),
  };
}

/** @param {string} name @param {string} version */
function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** What the server loads. @param {Record<string, Locked>} locked */
export function serverPackages(locked) {
  return closureOf(locked, ['server', 'contract', 'media']).map((key) => packageAt(locked, key));
}

/** Whose code the page may contain. @param {Record<string, Locked>} locked */
export function pagePackages(locked) {
  return closureOf(locked, ['ui']).map((key) => packageAt(locked, key));
}

/** What the FFmpeg worker loads besides the server's packages, for one platform. @param {Record<string, Locked>} locked @param {Arch} arch */
export function ffmpegPackages(locked, arch) {
  const native = `node_modules/@seydx/node-av-linux-${arch}`;
  const present = new Set(serverPackages(locked).map(({ path }) => path));
  const packages = closureOf(locked, ['node_modules/node-av', native])
    .filter((key) => !present.has(key))
    .map((key) => packageAt(locked, key));
  return packages.map((one) => (one.path === native ? { ...one, folder: folderOf(one) } : one));
}

/** Node itself. @param {Record<string, Locked>} locked @param {Arch} arch @returns {Package} */
export function nodePackage(locked, arch) {
  const { version, integrity } = nodePackages;
  const wanted = locked['node_modules/node']?.version;
  if (wanted !== version)
    throw new Error(
      `packaging/packages.mjs has the checksums of Node ${version}, package-lock.json has ${wanted}.`,
    );
  const made = {
    name: `node-linux-${arch}`,
    version,
    license: 'MIT',
    purl: purlOf(`node-linux-${arch}`, version),
    integrity: integrity[arch],
    path: 'node_modules/node',
    folder: join(root, 'node_modules/node/node_modules', `node-linux-${arch}`),
  };
  return { ...made, folder: folderOf(made) };
}

/** Where the files of a package of a platform are, which may have to be fetched first. @param {Package} wanted */
function folderOf({ name, version, integrity, folder }) {
  const isInstalled =
    existsSync(join(folder, 'package.json')) &&
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version === version;
  if (isInstalled) return folder;
  const place = join(cache, `${name.replace('/', '-')}-${version}`);
  if (existsSync(place)) return join(place, 'package');
  process.stdout.write(`Fetching ${name} ${version}...\n`);
  const partial = `${place}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const [packed] = JSON.parse(
    execFileSync(
      'npm',
      ['pack', `${name}@${version}`, '--json', '--loglevel=error', '--pack-destination', partial],
      {
        cwd: root,
        encoding: 'utf8',
      },
    ),
  );
  const file = join(partial, packed.filename);
  const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (digest !== integrity)
    throw new Error(`${name} ${version} has another checksum than expected: ${digest}`);
  execFileSync('tar', ['-C', partial, '-xzf', file]);
  rmSync(file);
  renameSync(partial, place);
  return join(place, 'package');
}

/** Files that only compilers, debuggers, developers and readers need, hidden ones among them. Texts of licenses stay. */
const unneeded =
  /^(tests?|spec|benchmarks?|examples?|docs|integration)\/|(^|\/)\.|\.(d\.[cm]?ts|[cm]?ts|map|flow|tsbuildinfo|html|sh|ya?ml)$|^(?!.*licen[cs]e|.*copying|.*notice).*\.(md|markdown)$/i;

/** The files of a package, below node_modules. @param {Package} from @returns {import('./tar.mjs').Entry[]} */
export function packageFiles({ path, folder }) {
  return filesIn(folder)
    .filter((file) => !unneeded.test(file))
    .map((file) => copiedFile(`${path}/${file}`, join(folder, file)));
}

/** The files of a folder without packages in it, as paths below it, sorted. @param {string} folder @param {string} [within] @returns {string[]} */
export function filesIn(folder, within = '') {
  return readdirSync(join(folder, within), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(folder, path);
      return entry.isFile() ? [path] : [];
    });
}
