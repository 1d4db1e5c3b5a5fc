// Archives with the same bytes for the same content: tar (POSIX 1003.1-1988, "ustar") and ar, as Debian's packages use it.
// Every entry has the same time and belongs to root.
import { readFileSync } from 'node:fs';

/**
 * What an archive contains. `bytes` reads a file's content when it is written, so that a large one is in memory only
 * then.
 * @typedef {{ path: string, kind: 'file', mode: number, bytes: () => Buffer }
 *   | { path: string, kind: 'folder', mode: number, owner?: number }
 *   | { path: string, kind: 'link', target: string }} Entry
 */

/** Of a name, and of what is put before it. The format has no room for more. */
const nameMax = 100;
const prefixMax = 155;
const block = 512;

/** A file with this text. @param {string} path @param {string | Buffer} content @param {number} [mode] @returns {Entry} */
export function textFile(path, content, mode = 0o644) {
  return { path, kind: 'file', mode, bytes: () => Buffer.from(content) };
}

/** A file of the disk. @param {string} path @param {string} source @param {number} [mode] @returns {Entry} */
export function copiedFile(path, source, mode = 0o644) {
  return { path, kind: 'file', mode, bytes: () => readFileSync(source) };
}

/** The entries in the order of their paths, below a folder, with a folder for each that their paths name. @param {string} top without a slash at its end @param {readonly Entry[]} entries @returns {Entry[]} */
export function below(top, entries) {
  /** @type {Map<string, Entry>} */
  const byPath = new Map();
  for (const entry of entries) {
    const path = top === '' ? entry.path : `${top}/${entry.path}`;
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!byPath.has(folder)) byPath.set(folder, { path: folder, kind: 'folder', mode: 0o755 });
    }
    byPath.set(path, { ...entry, path });
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The bytes of a tar archive. @param {readonly Entry[]} entries @param {number} seconds the time of all entries, since the epoch @returns {Generator<Buffer>} */
export function* tarOf(entries, seconds) {
  for (const entry of entries) {
    const content = entry.kind === 'file' ? entry.bytes() : Buffer.alloc(0);
    yield headerOf(entry, content.length, seconds);
    yield content;
    yield Buffer.alloc(-content.length & (block - 1));
  }
  yield Buffer.alloc(2 * block);
}

/** @param {Entry} entry @param {number} size @param {number} seconds */
function headerOf(entry, size, seconds) {
  const header = Buffer.alloc(block);
  const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const { prefix, name } = splitPath(path);
  const owner = entry.kind === 'folder' ? (entry.owner ?? 0) : 0;
  header.write(name, 0, nameMax, 'utf8');
  writeOctal(header, entry.kind === 'link' ? 0o777 : entry.mode, 100, 8);
  writeOctal(header, owner, 108, 8);
  writeOctal(header, owner, 116, 8);
  writeOctal(header, size, 124, 12);
  writeOctal(header, seconds, 136, 12);
  header.write({ file: '0', link: '2', folder: '5' }[entry.kind], 156);
  if (entry.kind === 'link') header.write(entry.target, 157, nameMax, 'utf8');
  header.write('ustar\0' + '00', 257);
  if (owner === 0) {
    header.write('root', 265);
    header.write('root', 297);
  }
  header.write(prefix, 345, prefixMax, 'utf8');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** @param {string} path @returns {{ prefix: string, name: string }} */
function splitPath(path) {
  if (Buffer.byteLength(path) <= nameMax) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= nameMax && Buffer.byteLength(prefix) <= prefixMax)
      return { prefix, name };
  }
  throw new RangeError(`${path} is too long for a tar archive.`);
}

/** @param {Buffer} header @param {number} value @param {number} offset @param {number} length with the zero at its end */
function writeOctal(header, value, offset, length) {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset);
}

/** The bytes of an ar archive. @param {readonly { name: string, content: Buffer }[]} members @param {number} seconds */
export function arOf(members, seconds) {
  /** @type {Buffer[]} */
  const parts = [Buffer.from('!<arch>\n')];
  for (const { name, content } of members) {
    const header = `${name.padEnd(16)}${String(seconds).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`;
    parts.push(Buffer.from(header), content, Buffer.from(content.length % 2 ? '\n' : ''));
  }
  return Buffer.concat(parts);
}
