// What the native library of node-av is made of. Its npm package names only its own license; the library contains FFmpeg, which knows
// how it was configured and thereby under which license it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./materials.mjs').Part} Part */

/** FFmpeg and what is linked into it, from the library in the folder of a package. @param {string} folder @returns {Part[]} */
export function ffmpegParts(folder) {
  return partsOf(readFileSync(join(folder, 'node-av.node')));
}

/** @param {Buffer} library @returns {Part[]} */
export function partsOf(library) {
  const configuration = textAround(library, ' --enable-gpl ');
  const options = configuration.split(' ');
  if (options.includes('--enable-nonfree'))
    throw new Error('FFmpeg with --enable-nonfree can’t be distributed.');
  const license = options.includes('--enable-version3') ? 'GPL-3.0-or-later' : 'GPL-2.0-or-later';
  const builder = options.find((option) => option.startsWith('--extra-version='))?.split('=')[1];
  const version = textAround(library, builder === undefined ? 'FFmpeg version ' : `-${builder}\0`);
  const names = options.flatMap(
    (option) => /^--enable-(lib[a-z0-9-]+|openssl|whisper)$/.exec(option)?.[1] ?? [],
  );
  return [
    {
      name: 'ffmpeg',
      version: version.replace(/^FFmpeg version /, ''),
      license,
      purl: `pkg:generic/ffmpeg@${version}`,
      origin: [
        'FFmpeg with the libraries that its configuration names. node-av builds and links it; where their sources are is in the',
        'repository of node-av (https://github.com/seydx/node-av). A release with these files has to offer the sources as well.',
        '',
        `Configuration: ${configuration}`,
      ].join('\n'),
    },
    // Linked into it: neither their versions nor their own licenses are in the library.
    ...names.sort().map((name) => ({ name, purl: `pkg:generic/${name}` })),
  ];
}

/** The text that contains another one, between zeros. @param {Buffer} library @param {string} part */
function textAround(library, part) {
  const at = library.indexOf(part);
  if (at === -1)
    throw new Error(`The library of node-av contains no FFmpeg whose license is known (${part.trim()}).`);
  const end = library.indexOf(0, at);
  return library.subarray(library.lastIndexOf(0, at) + 1, end === -1 ? undefined : end).toString('latin1');
}
