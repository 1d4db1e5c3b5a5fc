import { constants, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ReadAt } from '@vidette/media/fmp4/scan';
import { MalformedError } from '@vidette/media/malformed';
import { readMovie, type Movie } from '@vidette/media/mp4/movie';
import { remux, type RemuxedSegment } from '@vidette/media/mp4/remux';
import { movieOfIndex, type SampleIndex } from '@vidette/media/mp4/sample-index';
import type { ImportedFile } from '../catalog/catalog.ts';

/** The boxes of a recording of ten seconds, and those at the beginning of most fragments. */
const windowBytes = 16_384;

/** A file as it is laid out as a segment. */
export interface ReadRecording {
  readonly segment: RemuxedSegment;
  readonly movie: Omit<Movie, 'tracks'>;
}

/** The path of a file. */
export function pathOf({ root, folder, name }: Pick<ImportedFile, 'root' | 'folder' | 'name'>): string {
  return join(root, folder, name);
}

/**
 * Opens a file of another program, only for reading. Symbolic links may have been put in its place since it was found: none
 * leads out of the root.
 * @throws system errors; ELOOP for a symbolic link, EXDEV outside of the root, EISDIR for what is no file
 */
export async function openRecording(
  file: Pick<ImportedFile, 'root' | 'folder' | 'name'>,
): Promise<FileHandle> {
  const path = pathOf(file);
  const folder = await realpath(join(file.root, file.folder));
  if (folder !== file.root && !folder.startsWith(file.root.endsWith(sep) ? file.root : file.root + sep))
    throw Object.assign(new Error(`${path} is not in ${file.root}`), { code: 'EXDEV' });
  // A pipe does not block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile())
      throw Object.assign(new Error(`${path} is not a file`), { code: 'EISDIR' });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * @param samples of a file without boxes
 * @throws MalformedError if it can't be played; system errors
 */
export async function readRecording(
  handle: FileHandle,
  bytes: number,
  samples: SampleIndex | undefined,
): Promise<ReadRecording> {
  const movie = samples ? movieOfIndex(samples, bytes) : await readMovie(windowedRead(handle), bytes);
  try {
    return { segment: remux(movie), movie };
  } catch (error) {
    // A field of a damaged table can't be written again.
    if (error instanceof RangeError) throw new MalformedError(error.message);
    throw error;
  }
}

/** Reads past the end return fewer bytes. */
function windowedRead(handle: FileHandle): ReadAt {
  let start = 0;
  let window = new Uint8Array(0);
  return async (offset, length) => {
    if (offset < start || offset + length > start + window.length) {
      const bytes = Buffer.allocUnsafe(Math.max(length, windowBytes));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
      start = offset;
      window = bytes.subarray(0, bytesRead);
    }
    return window.subarray(offset - start, offset - start + length);
  };
}
