import { constants, open, type FileHandle } from 'node:fs/promises';
import { archiveFileMode } from './layout.ts';
import { bufferBytes, buffersPerWrite, pageBuffers, pageBytes } from './page-buffers.ts';
import { systemCode } from './system-code.ts';
import { between, bufferedFile, lengthOf, writeAll, type WritableFile } from './writable-file.ts';

/** As `open` of `node:fs/promises`. */
export type OpenFile = (path: string, flags: number | string, mode?: number) => Promise<FileHandle>;

/** Most bytes of one write; the rest of the memory is for the page before them and the padding after them. */
const bytesPerWrite = buffersPerWrite * bufferBytes - 3 * pageBytes;
/** Of a box without contents (ISO/IEC 14496-12, 4.2). */
const boxHeaderBytes = 8;

/**
 * Creates a file whose data goes to the disk past the system's page cache (open(2), O_DIRECT): copying it there, into memory
 * that isn't in the CPU's cache, would cost as much as everything else that a recorder does. Where the file system refuses
 * that, the page cache is used. @throws system errors, EEXIST
 */
export async function createDirect(path: string, openFile: OpenFile = open): Promise<WritableFile> {
  const handle = await openFile(path, 'wx', archiveFileMode);
  let direct: FileHandle;
  try {
    // In a second step: some file systems create the file and then refuse the flag.
    direct = await openFile(path, constants.O_WRONLY | constants.O_DIRECT);
  } catch {
    return bufferedFile(handle);
  }
  await handle.close();
  return new DirectFile(path, direct, openFile);
}

/**
 * Writes whole pages. If the data ends within a page, a `free` box fills it (ISO/IEC 14496-12, 8.1.2), and the next write
 * begins with this page again; what grows is a complete file all the time. It gets its real length when it is closed.
 */
class DirectFile implements WritableFile {
  readonly #path: string;
  readonly #openFile: OpenFile;
  #handle: FileHandle;
  /** Until the file system has refused that. */
  #isDirect = true;
  /** Without padding. */
  #bytes = 0;
  /** With padding. */
  #fileBytes = 0;
  /** The data after the last whole page. */
  readonly #tail = Buffer.allocUnsafeSlow(pageBytes);
  #hasFailed = false;

  constructor(path: string, handle: FileHandle, openFile: OpenFile) {
    this.#path = path;
    this.#handle = handle;
    this.#openFile = openFile;
  }

  async write(slices: readonly Uint8Array[], position: number, onTaken: () => void): Promise<void> {
    if (position !== this.#bytes)
      throw new RangeError(`The file ends at ${this.#bytes}, not at ${position}.`);
    await this.#unlessFailed(async () => {
      const parts = [...partsOf(slices)];
      const last = parts.pop() ?? [];
      for (const part of parts) await this.#writePart(part);
      await this.#writePart(last, onTaken);
    });
  }

  sync(): Promise<void> {
    return this.#unlessFailed(() => this.#handle.datasync());
  }

  async truncate(bytes: number): Promise<void> {
    await this.#handle.truncate(bytes);
    this.#bytes = bytes;
    this.#fileBytes = bytes;
  }

  async close(): Promise<void> {
    try {
      if (this.#hasFailed || this.#fileBytes === this.#bytes) return;
      await this.#handle.truncate(this.#bytes);
      await this.#handle.datasync();
    } finally {
      await this.#handle.close();
    }
  }

  async #unlessFailed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #writePart(slices: readonly Uint8Array[], onTaken?: () => void): Promise<void> {
    if (this.#isDirect) {
      await this.#writePages(slices, onTaken);
      return;
    }
    await this.#writeBuffered(slices);
    onTaken?.();
  }

  async #writeBuffered(slices: readonly Uint8Array[]): Promise<void> {
    await writeAll(this.#handle, slices, this.#bytes);
    this.#bytes += lengthOf(slices);
    this.#fileBytes = this.#bytes;
  }

  async #leaveDirect(): Promise<void> {
    const direct = this.#handle;
    this.#handle = await this.#openFile(this.#path, 'r+');
    this.#isDirect = false;
    await direct.close();
    // What follows overwrites the head of the last box and not the rest of it.
    await this.truncate(this.#bytes);
  }

  /** What it copies is all that it needs, also where the file system refuses the pages. */
  async #writePages(slices: readonly Uint8Array[], onTaken?: () => void): Promise<void> {
    const tailBytes = this.#bytes % pageBytes;
    const from = this.#bytes - tailBytes;
    const dataBytes = tailBytes + lengthOf(slices);
    const padding = paddingAfter(dataBytes, this.#fileBytes - from);
    const buffers = await pageBuffers.take(Math.ceil((dataBytes + padding) / bufferBytes));
    try {
      const pages = fill(buffers, [this.#tail.subarray(0, tailBytes), ...slices, ...freeBox(padding)]);
      onTaken?.();
      if (!(await this.#writeDirect(pages, from))) {
        await this.#leaveDirect();
        await this.#writeBuffered(between(pages, tailBytes, dataBytes));
        return;
      }
      this.#bytes = from + dataBytes;
      this.#fileBytes = this.#bytes + padding;
      this.#keepTail(buffers, dataBytes);
    } finally {
      pageBuffers.giveBack(buffers);
    }
  }

  /** Writes whole pages. False: the file system refuses to write directly. */
  async #writeDirect(pages: readonly Uint8Array[], from: number): Promise<boolean> {
    try {
      await writeAll(this.#handle, pages, from, pageBytes);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EINVAL' || systemCode(error) === 'ENOTSUP') return false;
      throw error;
    }
  }

  /** Of data that ends at `end` in the buffers. */
  #keepTail(buffers: readonly Uint8Array[], end: number): void {
    const bytes = end % pageBytes;
    const at = (end - bytes) % bufferBytes;
    const buffer = buffers[Math.floor(end / bufferBytes)];
    if (buffer) this.#tail.set(buffer.subarray(at, at + bytes));
  }
}

/**
 * Bytes of a `free` box from the end of the data to that of its page, or of the next page if there is no space for its header.
 * It covers what the file has now (`fileBytes`, from the same position): the second page of a box before it would be left else.
 */
function paddingAfter(dataBytes: number, fileBytes: number): number {
  const padding = Math.max(Math.ceil(dataBytes / pageBytes) * pageBytes, fileBytes) - dataBytes;
  return padding === 0 || padding >= boxHeaderBytes ? padding : padding + pageBytes;
}

const emptyPages = Buffer.alloc(2 * pageBytes);
/** Copied before it is used again. */
const freeHeader = Buffer.from('\0\0\0\0free', 'latin1');

function freeBox(bytes: number): readonly Uint8Array[] {
  if (bytes === 0) return [];
  freeHeader.writeUInt32BE(bytes);
  return [freeHeader, emptyPages.subarray(boxHeaderBytes, bytes)];
}

/** Copies the slices one after the other into the buffers. Returns what of the buffers they fill. */
function fill(buffers: readonly Uint8Array[], slices: readonly Uint8Array[]): Uint8Array[] {
  let end = 0;
  for (const slice of slices) {
    for (let at = 0; at < slice.length;) {
      const buffer = buffers[Math.floor(end / bufferBytes)];
      if (!buffer) throw new RangeError('The slices are longer than the buffers.');
      const place = end % bufferBytes;
      const count = Math.min(slice.length - at, bufferBytes - place);
      buffer.set(count === slice.length ? slice : slice.subarray(at, at + count), place);
      at += count;
      end += count;
    }
  }
  return buffers.map((buffer, index) => buffer.subarray(0, Math.min(bufferBytes, end - index * bufferBytes)));
}

/** The slices in lists of at most `bytesPerWrite`. */
function* partsOf(slices: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let part: Uint8Array[] = [];
  let space = bytesPerWrite;
  for (let rest of slices) {
    while (rest.length > space) {
      part.push(rest.subarray(0, space));
      yield part;
      rest = rest.subarray(space);
      part = [];
      space = bytesPerWrite;
    }
    part.push(rest);
    space -= rest.length;
  }
  if (part.length > 0) yield part;
}
