import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../../base/fault.ts';
import { systemCode } from './files.ts';

/** A segment's bytes, wherever they are stored. */
export interface SegmentReader {
  /** Exactly `length` bytes from `offset` on. @throws Fault InternalServerError when the segment ends before. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * Call when the fragment at `offset` is not what the catalog says: has it checked, and marked as damaged.
   * Resolves with the error to throw.
   */
  distrust?(offset: number, length: number): Promise<Fault>;
  close(): Promise<void>;
}

/**
 * The footage can't be read from its file. It is marked, so that the same request with a new plan leaves it out.
 */
export class DamagedFootage extends Fault {
  constructor(cause?: unknown) {
    super('NotFound', 'This part of the archive is damaged.', { cause });
  }
}

/** Opens a segment's file. @throws Fault NotFound when it was deleted, by retention or otherwise. */
async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new Fault('NotFound', 'This part of the archive is no longer there.', { cause: error });
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
      throw new Fault('InternalServerError', 'A file of the archive is shorter than its row says.');
    at += bytesRead;
  }
  return bytes;
}

/** The most that one read of a stream of bytes asks for. */
export const readChunkBytes = 262_144;

/** The bytes from `offset` on in chunks, so that memory does not depend on `length`. */
export async function* readInChunks(
  reader: SegmentReader,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < length; at += readChunkBytes) {
    yield await reader.read(offset + at, Math.min(readChunkBytes, length - at));
  }
}
