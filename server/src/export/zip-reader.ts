import type { FileHandle } from 'node:fs/promises';

/** One stored file of a ZIP: where its content lies. */
export interface StoredFile {
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
}

const directoryMaxBytes = 64 * 1024 * 1024;
const endBytes = 22;
const commentMaxBytes = 0xffff;

/**
 * The files of a ZIP as `zip.ts` writes it. Nothing in it is believed: every position is held against the file.
 * @throws RangeError when this is no such ZIP
 */
export async function readZip(handle: FileHandle): Promise<StoredFile[]> {
  const { size } = await handle.stat();
  const tail = await read(handle, Math.max(0, size - endBytes - commentMaxBytes - 20), size, size);
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (at < 0 || at + endBytes > tail.length) throw new RangeError('not a ZIP');
  let bytes = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  const isLarge = at >= 20 && tail.readUInt32LE(at - 20) === 0x0706_4b50;
  if (isLarge) {
    const from = Number(tail.readBigUInt64LE(at - 12));
    const end64 = await read(handle, from, from + 56, size);
    bytes = Number(end64.readBigUInt64LE(40));
    offset = Number(end64.readBigUInt64LE(48));
  }
  if (bytes > directoryMaxBytes) throw new RangeError('its directory is too long');
  const directory = await read(handle, offset, offset + bytes, size);
  const files: StoredFile[] = [];
  for (let position = 0; position + 46 <= directory.length;) {
    const file = centralRecord(directory, position);
    position = file.next;
    const local = await read(handle, file.offset, file.offset + 30, size);
    if (local.readUInt32LE(0) !== 0x0403_4b50) throw new RangeError(`${file.name} has no header`);
    const start = file.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (start + file.bytes > size) throw new RangeError(`${file.name} reaches beyond the end`);
    files.push({ name: file.name, offset: start, bytes: file.bytes });
  }
  return files;
}

function centralRecord(
  directory: Buffer,
  at: number,
): { name: string; offset: number; bytes: number; next: number } {
  if (directory.readUInt32LE(at) !== 0x0201_4b50) throw new RangeError('its directory is damaged');
  if (directory.readUInt16LE(at + 10) !== 0) throw new RangeError('it is compressed');
  const nameLength = directory.readUInt16LE(at + 28);
  const extraLength = directory.readUInt16LE(at + 30);
  const nameEnd = at + 46 + nameLength;
  const next = nameEnd + extraLength + directory.readUInt16LE(at + 32);
  if (next > directory.length) throw new RangeError('its directory is cut off');
  let bytes = directory.readUInt32LE(at + 24);
  let offset = directory.readUInt32LE(at + 42);
  let value = nameEnd + 4;
  if (bytes === 0xffff_ffff) {
    bytes = Number(directory.readBigUInt64LE(value));
    value += 16;
  }
  if (offset === 0xffff_ffff) offset = Number(directory.readBigUInt64LE(value));
  return { name: directory.toString('utf8', at + 46, nameEnd), offset, bytes, next };
}

async function read(handle: FileHandle, from: number, to: number, size: number): Promise<Buffer> {
  if (!Number.isSafeInteger(from) || from < 0 || to > size || to < from) {
    throw new RangeError('it points beyond its end');
  }
  const buffer = Buffer.alloc(to - from);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  if (bytesRead !== buffer.length) throw new RangeError('it ends early');
  return buffer;
}
