// `npm run release`: builds what people install into dist/. The same sources and packages give the same bytes
// (design/shipping.md).
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from '../tools/install.mjs';
import { ensurePage } from '../tools/page.mjs';
import { debianArches, debianPackage, ffmpegDebianPackage } from './debian.mjs';
import { assertPlatform } from './elf.mjs';
import { canBuildImage, imageArchive } from './image.mjs';
import { materialsOf } from './materials.mjs';
import { ffmpegFiles, programFiles, programParts, sourceVersion } from './program.mjs';
import { below, tarOf } from './tar.mjs';
import { compress } from './zstandard.mjs';

/** @typedef {import('./packages.mjs').Arch} Arch */
/** @typedef {(typeof allForms)[number]} Form */
/** @typedef {{ arches: readonly Arch[], forms: readonly Form[], out: string, print?: (line: string) => void } & Omit<import('./program.mjs').How, 'arch'>} ReleaseOptions */

const allForms = /** @type {const} */ (['archive', 'ffmpeg', 'deb', 'image', 'notes']);
const allArches = /** @type {const} */ (['x64', 'arm64']);
/** Compresses a release to 60 % of what level 3 makes of it. */
const releaseLevel = 19;

/** Builds the files of a release, and returns their names. @param {ReleaseOptions} options */
export async function release({ arches, forms, out, print = () => {}, ...common }) {
  mkdirSync(out, { recursive: true });
  const { version, seconds, level } = common;
  /** @type {string[]} */
  const made = [];
  /** @param {string} file @param {(path: string) => Promise<void>} build */
  const make = async (file, build) => {
    await build(join(out, file));
    made.push(file);
    print(`${file}  ${(statSync(join(out, file)).size / 1e6).toFixed(1)} MB`);
  };
  for (const arch of arches) {
    const how = { arch, ...common };
    const program = await programFiles(how);
    const ffmpeg = forms.includes('ffmpeg') ? ffmpegFiles(how) : [];
    assertPlatform([...program, ...ffmpeg], arch);
    const folder = `vidette-${version}`;
    if (forms.includes('archive'))
      await make(`${folder}-linux-${arch}.tar.zst`, (path) =>
        compress(tarOf(below(folder, program), seconds), level, path),
      );
    if (forms.includes('ffmpeg'))
      await make(`vidette-ffmpeg-${version}-linux-${arch}.tar.zst`, (path) =>
        compress(tarOf(below(folder, ffmpeg), seconds), level, path),
      );
    if (forms.includes('deb')) {
      const debian = debianArches[arch];
      await make(`vidette_${version}_${debian}.deb`, (path) => debianPackage(program, how, path));
      if (forms.includes('ffmpeg'))
        await make(`vidette-ffmpeg_${version}_${debian}.deb`, (path) =>
          ffmpegDebianPackage(ffmpeg, how, path),
        );
    }
    if (forms.includes('image') && !canBuildImage())
      print('No image: it contains libraries of Debian’s packages, and needs dpkg and apt-get.');
    else if (forms.includes('image')) {
      const image = `${folder}-image-${arch}`;
      /** @type {import('./materials.mjs').Part[]} */
      let parts = programParts(arch);
      await make(`${image}.tar`, async (path) => {
        parts = [...parts, ...(await imageArchive(program, how, path))];
      });
      const list = materialsOf({ name: 'vidette-image', version }, parts, seconds);
      await make(`${image}.sbom.cdx.json`, async (path) => writeFileSync(path, list));
    }
    for (const [file, entry] of listsIn([...program, ...ffmpeg], version, arch))
      await make(file, async (path) => writeFileSync(path, entry.bytes()));
  }
  if (forms.includes('notes'))
    await make(`vidette-${version}-notes.md`, async (path) => {
      writeFileSync(path, `${notesOf(version)}\n${sizesOf(out, made)}`);
    });
  const sums = await Promise.all(
    made.sort().map(async (file) => `${await sha256Of(join(out, file))}  ${file}\n`),
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return [...made, 'SHA256SUMS'];
}

/**
 * The lists of parts and licenses of a program and of FFmpeg, by the names that they have beside the archives.
 * @param {readonly import('./tar.mjs').Entry[]} entries @param {string} version @param {Arch} arch
 * @returns {[string, Extract<import('./tar.mjs').Entry, { kind: 'file' }>][]}
 */
function listsIn(entries, version, arch) {
  return entries.flatMap((entry) => {
    const [, isPart, isPartLicense, name] =
      /^(?:sbom(-ffmpeg)?|THIRD-PARTY-LICENSES(-FFMPEG)?)(\.cdx\.json|\.txt)$/.exec(entry.path) ?? [];
    if (entry.kind !== 'file' || name === undefined) return [];
    const product = (isPart ?? isPartLicense) ? 'vidette-ffmpeg' : 'vidette';
    const kind = name === '.txt' ? 'THIRD-PARTY-LICENSES' : 'sbom';
    return [[`${product}-${version}-linux-${arch}.${kind}${name}`, entry]];
  });
}

/** The files of a release with their sizes, for its notes. @param {string} folder @param {readonly string[]} files */
function sizesOf(folder, files) {
  const lines = [...files].sort().map((file) => {
    const { size } = statSync(join(folder, file));
    return `- \`${file}\`: ${(size / 1e6).toFixed(1)} MB\n`;
  });
  return ['### Files\n\n', ...lines].join('');
}

/** The changes in a version, from CHANGELOG.md. @param {string} of */
export function notesOf(of) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const start = text.indexOf(`## ${of}`);
  if (start === -1) throw new Error(`CHANGELOG.md has no section ${of}.`);
  const end = text.indexOf('\n## ', start + 1);
  return `${text.slice(start, end === -1 ? undefined : end).trim()}\n`;
}

/** @param {string} path */
async function sha256Of(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Whether a field of one line can contain it: a name and an address (deb-control(5)). @param {string} text */
export function isMaintainer(text) {
  return /^[^<>\r\n]{1,100} <[^<>@\s]{1,64}@[^<>@\s]{1,255}>$/.test(text);
}

/** The time of the last commit, unless SOURCE_DATE_EPOCH gives another one; 2000 without either. */
export function releaseSeconds() {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && /^[0-9]+$/.test(given)) return Number(given);
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? Number(stdout) : 946_684_800;
}

/**
 * Of a list on the command line, those that exist; exits otherwise.
 * @template {string} Name
 * @param {readonly Name[]} known
 * @param {string | undefined} list
 */
function chosen(known, list) {
  if (list === undefined) return known;
  const names = list.split(',');
  const found = known.filter((name) => names.includes(name));
  if (found.length === names.length) return found;
  process.stderr.write(`One or more of ${known.join(', ')} are expected, separated by commas: ${list}\n`);
  return process.exit(2);
}

if (process.argv[1] === join(root, 'packaging/release.mjs')) {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string' },
      forms: { type: 'string' },
      level: { type: 'string', default: String(releaseLevel) },
      out: { type: 'string', default: join(root, 'dist') },
      maintainer: { type: 'string', default: 'The maintainers of this copy <root@localhost>' },
    },
  });
  ensureInstalled();
  ensurePage();
  const out = resolve(values.out);
  if (!isMaintainer(values.maintainer)) {
    process.stderr.write(`A maintainer looks like "Jane Doe <jane@example.org>": ${values.maintainer}\n`);
    process.exit(2);
  }
  // What a previous release left would not be in SHA256SUMS.
  if (out === join(root, 'dist')) rmSync(out, { recursive: true, force: true });
  await release({
    arches: chosen(allArches, values.arch),
    forms: chosen(allForms, values.forms),
    level: Number(values.level),
    version: sourceVersion(),
    out,
    seconds: releaseSeconds(),
    maintainer: values.maintainer,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
}
