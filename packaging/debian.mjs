// The packages for Debian and its relatives (deb(5)), written without their tools.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { completionScript } from '../server/src/cli/command-line.ts';
import { root } from '../tools/install.mjs';
import { manPage, manPath } from './man-page.mjs';
import { arOf, below, copiedFile, tarOf, textFile } from './tar.mjs';
import { compress } from './zstandard.mjs';

/** @typedef {import('./tar.mjs').Entry} Entry */
/** @typedef {import('./program.mjs').How} How */

const program = 'usr/lib/vidette';
const parts = join(root, 'packaging/debian');
/** Debian's names of the architectures. */
export const debianArches = { x64: 'amd64', arm64: 'arm64' };

/** Writes the package of the program. @param {readonly Entry[]} files @param {How} how @param {string} path */
export async function debianPackage(files, how, path) {
  const entries = below('', [
    ...files
      .filter(({ path }) => path !== manPath)
      .map((file) => ({ ...file, path: `${program}/${file.path}` })),
    textFile(`usr/${manPath}.gz`, gzipSync(manPage(how), { level: 9 })),
    copiedFile('usr/bin/vidette', join(parts, 'vidette.sh'), 0o755),
    copiedFile('lib/systemd/system/vidette.service', join(root, 'packaging/vidette.service')),
    copiedFile('etc/vidette/vidette.env', join(parts, 'vidette.env'), 0o640),
    textFile('usr/share/bash-completion/completions/vidette', `${completionScript('bash')}\n`),
    textFile('usr/share/zsh/vendor-completions/_vidette', `${completionScript('zsh')}\n`),
    textFile('usr/share/fish/vendor_completions.d/vidette.fish', `${completionScript('fish')}\n`),
    ...documentsOf('vidette', how),
  ]);
  const control = {
    Package: 'vidette',
    Depends: 'adduser, init-system-helpers (>= 1.54~), libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)',
    Recommends: 'vidette-ffmpeg, iproute2',
    Description: [
      'watches, records and shows video streams',
      ' Vidette receives, records and plays the streams of cameras: live video, an',
      ' archive on a timeline, mosaics of many streams, public links, and the',
      ' administration of all of it.',
    ].join('\n'),
  };
  const scripts = ['postinst', 'prerm', 'postrm'].map((name) => copiedFile(name, join(parts, name), 0o755));
  await write(control, [...scripts, textFile('conffiles', '/etc/vidette/vidette.env\n')], entries, how, path);
}

/** Writes the package of the FFmpeg worker. @param {readonly Entry[]} files @param {How} how @param {string} path */
export async function ffmpegDebianPackage(files, how, path) {
  const entries = below('', [
    ...files.map((file) => ({ ...file, path: `${program}/${file.path}` })),
    ...documentsOf('vidette-ffmpeg', how),
  ]);
  const control = {
    Package: 'vidette-ffmpeg',
    Depends: `vidette (= ${how.version}), libc6 (>= 2.28)`,
    Description: [
      'FFmpeg for Vidette: sources other than RTSP, snapshots, transcoding',
      ' The FFmpeg libraries are under the GPL, and run in processes of their own.',
    ].join('\n'),
  };
  await write(control, [], entries, how, path);
}

/** @param {string} name @param {How} how @returns {Entry[]} */
function documentsOf(name, { version, seconds, maintainer }) {
  const changes = [
    `vidette (${version}) stable; urgency=medium`,
    '',
    '  * See /usr/lib/vidette/CHANGELOG.md.',
    '',
    ` -- ${maintainer}  ${new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')}`,
    '',
  ].join('\n');
  return [
    copiedFile(`usr/share/doc/${name}/copyright`, join(parts, `${name}.copyright`)),
    textFile(`usr/share/doc/${name}/changelog.gz`, gzipSync(changes, { level: 9 })),
  ];
}

/**
 * @param {Record<string, string>} fields
 * @param {readonly Entry[]} parts of the control archive
 * @param {readonly Entry[]} entries
 * @param {How} how
 * @param {string} path
 */
async function write(fields, parts, entries, { arch, version, seconds, level, maintainer }, path) {
  const { Package, Description = '', ...others } = fields;
  const bytes = entries.reduce(
    (total, entry) => total + (entry.kind === 'file' ? entry.bytes().length : 0),
    0,
  );
  const control = {
    Package,
    Version: version,
    Architecture: debianArches[arch],
    Maintainer: maintainer,
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    ...others,
    Section: 'video',
    Priority: 'optional',
    Description,
  };
  const text = Object.entries(control).map(([name, value]) => `${name}: ${value}\n`);
  const sums = entries.flatMap((entry) => (entry.kind === 'file' ? [sumOf(entry.path, entry.bytes())] : []));
  const controlEntries = [textFile('control', text.join('')), textFile('md5sums', sums.join('')), ...parts];
  const controlTar = Buffer.concat([...tarOf(below('', controlEntries), seconds)]);
  const data = `${path}.data`;
  await compress(tarOf(entries, seconds), level, data);
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.gz', content: gzipSync(controlTar, { level: 9 }) },
    { name: 'data.tar.zst', content: readFileSync(data) },
  ];
  writeFileSync(path, arOf(members, seconds));
  rmSync(data);
}

/** @param {string} path @param {Buffer} content */
function sumOf(path, content) {
  return path.startsWith('etc/') ? '' : `${createHash('md5').update(content).digest('hex')}  ${path}\n`;
}
