import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../../base/fault.ts';
import { systemCode } from './system-code.ts';

/** A segment's bytes, wherever they are stored. */
export interface SegmentReader {
  /**
   * Reads exactly `length` bytes from `offset`. @throws Fault InternalServerError if the segment ends before
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * To be called when the fragment at `offset` is not what the catalog says: has it checked and marked as
   * damaged. Resolves with the error to throw.
   */
  distrust?(offset: number, length: number): Promise<Fault>;
  close(): Promise<void>;
}

/**
 * The footage cannot be read from its file. It is now marked as damaged, so that planning the same request
 * again leaves it out.
 */
export class DamagedFootage extends Fault {
  constructor(cause?: unknown) {
    super('NotFound', 'This part of the archive is damaged.', { cause });
  }
}

/** Opens a segment's file. @throws Fault NotFound if it was deleted, by retention or otherwise */
async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new Fault('NotFound', 'This part of the archive no longer exists.', { cause: error });
    }
    throw error;
  }
}

/** @throws Fault NotFound */
export async function openSegmentFile(path: string): Promise<SegmentReader> {
  const handle = await openForReading(path);
  return {
    read: (offset, length) => readExactly(handle, offset, length),
    close: () => handle.close(),
  };
}

async function readExactly(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0)
      throw new Fault('InternalServerError', 'An archive file is shorter than its catalog row says.');
    at += bytesRead;
  }
  return bytes;
}

/** Maximum size of one read when streaming bytes. */
export const readChunkBytes = 262_144;

/** The bytes from `offset` in chunks, so that memory use does not depend on `length`. */
export async function* readInChunks(
  reader: SegmentReader,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < length; at += readChunkBytes) {
    yield await reader.read(offset + at, Math.min(readChunkBytes, length - at));
  }
}
