import type { FileHandle } from 'node:fs/promises';
import { centralHeader, localHeader } from './zip.ts';

/** One stored file of a ZIP, with the position of its content. */
export interface StoredFile {
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
  /** CRC-32 from the central directory. */
  readonly crc: number;
}

const directoryMaxBytes = 64 * 1024 * 1024;
const endBytes = 22;
const commentMaxBytes = 0xffff;

/**
 * The files of a ZIP as written by `zip.ts`: contiguous entries from the first byte on, each once, with a local
 * header that matches the central directory, then the directory, then the end record. Programs differ in which
 * of two headers, names or entries they trust, so a package in which these differ is rejected.
 * @throws RangeError if this is not such a ZIP
 */
export async function readZip(handle: FileHandle): Promise<StoredFile[]> {
  const { size } = await handle.stat();
  const tail = await read(handle, Math.max(0, size - endBytes - commentMaxBytes - 20), size, size);
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (at < 0 || at + endBytes > tail.length) throw new RangeError('not a ZIP');
  if (at + endBytes !== tail.length || tail.readUInt16LE(at + 20) !== 0) {
    throw new RangeError('there is data after its end');
  }
  let count = tail.readUInt16LE(at + 10);
  let endStart = size - endBytes;
  let bytes = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  const isLarge = at >= 20 && tail.readUInt32LE(at - 20) === 0x0706_4b50;
  if (isLarge) {
    const from = Number(tail.readBigUInt64LE(at - 12));
    const end64 = await read(handle, from, from + 56, size);
    if (end64.readUInt32LE(0) !== 0x0606_4b50 || from + 56 + 20 !== endStart) {
      throw new RangeError('its end record is damaged');
    }
    endStart = from;
    count = Number(end64.readBigUInt64LE(32));
    bytes = Number(end64.readBigUInt64LE(40));
    offset = Number(end64.readBigUInt64LE(48));
  }
  if (bytes > directoryMaxBytes) throw new RangeError('its directory is too long');
  const directory = await read(handle, offset, offset + bytes, size);
  if (offset + bytes !== endStart) throw new RangeError('there is hidden data before its end record');
  const files: StoredFile[] = [];
  const names = new Set<string>();
  let next = 0;
  for (let position = 0; position < directory.length;) {
    const file = centralRecord(directory, position);
    position = file.next;
    // As file systems that fold case or normalise Unicode would unpack them.
    const folded = file.name.normalize('NFC').toLowerCase();
    if (names.has(folded)) throw new RangeError(`it contains ${file.name} twice`);
    names.add(folded);
    if (file.offset !== next) throw new RangeError(`there is hidden data before ${file.name}`);
    const start = await localEnd(handle, file, size);
    next = start + file.bytes;
    if (next > offset) throw new RangeError(`${file.name} extends beyond the end`);
    files.push({ name: file.name, offset: start, bytes: file.bytes, crc: file.crc });
  }
  if (next !== offset) throw new RangeError('there is hidden data before its directory');
  if (files.length !== count) throw new RangeError('its directory and its end record do not match');
  return files;
}

/** Where the content begins, after a local header that matches the directory. */
async function localEnd(handle: FileHandle, file: CentralRecord, size: number): Promise<number> {
  const { offset, name } = file;
  const head = await read(handle, offset, offset + 30, size);
  if (head.readUInt32LE(0) !== 0x0403_4b50) throw new RangeError(`${name} has no header`);
  const start = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const local = await read(handle, offset, start, size);
  const expected = localHeader({ ...file, timeMs: 0 });
  // Both record the modification time in the same four bytes.
  expected.writeUInt32LE(file.dosTime, 10);
  if (!local.equals(expected)) throw new RangeError(`the header of ${name} and the directory do not match`);
  return start;
}

interface CentralRecord {
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
  readonly dosTime: number;
  readonly next: number;
}

function centralRecord(directory: Buffer, at: number): CentralRecord {
  if (at + 46 > directory.length) throw new RangeError('its directory is truncated');
  if (directory.readUInt32LE(at) !== 0x0201_4b50) throw new RangeError('its directory is damaged');
  if (directory.readUInt16LE(at + 10) !== 0) throw new RangeError('it is compressed');
  const nameLength = directory.readUInt16LE(at + 28);
  const extraLength = directory.readUInt16LE(at + 30);
  const nameEnd = at + 46 + nameLength;
  const next = nameEnd + extraLength + directory.readUInt16LE(at + 32);
  if (next > directory.length) throw new RangeError('its directory is truncated');
  let bytes = directory.readUInt32LE(at + 24);
  let offset = directory.readUInt32LE(at + 42);
  let value = nameEnd + 4;
  if (bytes === 0xffff_ffff) {
    bytes = Number(directory.readBigUInt64LE(value));
    value += 16;
  }
  if (offset === 0xffff_ffff) offset = Number(directory.readBigUInt64LE(value));
  const name = directory.toString('utf8', at + 46, nameEnd);
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..') || name.includes('\\')) {
    throw new RangeError(`${JSON.stringify(name)} is not an allowed file name`);
  }
  const record = {
    name,
    offset,
    bytes,
    crc: directory.readUInt32LE(at + 16),
    dosTime: directory.readUInt32LE(at + 12),
    next,
  };
  // No other attributes either, such as those of a symbolic link.
  const expected = centralHeader({ ...record, timeMs: 0 });
  expected.writeUInt32LE(record.dosTime, 12);
  if (!directory.subarray(at, next).equals(expected))
    throw new RangeError(`the record of ${name} was not written by this program`);
  return record;
}

async function read(handle: FileHandle, from: number, to: number, size: number): Promise<Buffer> {
  if (!Number.isSafeInteger(from) || from < 0 || to > size || to < from) {
    throw new RangeError('it points beyond its end');
  }
  const buffer = Buffer.alloc(to - from);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  if (bytesRead !== buffer.length) throw new RangeError('it is truncated');
  return buffer;
}
