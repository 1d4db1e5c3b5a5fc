import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../base/fault.ts';
import { systemCode } from './files.ts';

/** Opens a segment's file. @throws Fault NotFound when retention or somebody else took it away. */
export async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new Fault('NotFound', 'This part of the archive is no longer there.', { cause: error });
    }
    throw error;
  }
}

/** Exactly `length` bytes from `offset` on. @throws Fault InternalServerError when the file ends before. */
export async function readExactly(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0)
      throw new Fault('InternalServerError', 'A file of the archive is shorter than its row says.');
    at += bytesRead;
  }
  return bytes;
}

/** The bytes from `offset` on in pieces, so that memory does not depend on `length`. */
export async function* readInChunks(
  handle: FileHandle,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunkBytes = 262_144;
  for (let at = 0; at < length; at += chunkBytes) {
    yield await readExactly(handle, offset + at, Math.min(chunkBytes, length - at));
  }
}
