import { createHash, type Hash } from 'node:crypto';
import { constants, open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { moveFile } from '../base/durable.ts';
import { blockBytes } from './manifest.ts';
import { centralDirectory, localCrcPosition, localHeader, type ZipEntry } from './zip.ts';

/** Facts about a complete, flushed entry. */
export interface PackedEntry extends ZipEntry {
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** SHA-256 of each block of `blockBytes`. */
  readonly blocks: readonly string[];
}

/**
 * A package while it is being written: one ZIP, to which complete entries are appended. Partial data that a
 * kill leaves after the last complete entry is truncated when the package is opened again.
 */
export class PackageFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #entries: PackedEntry[];
  #endBytes: number;

  private constructor(path: string, handle: FileHandle, entries: readonly PackedEntry[], endBytes: number) {
    this.#path = path;
    this.#handle = handle;
    this.#entries = [...entries];
    this.#endBytes = endBytes;
  }

  /** Undefined if the file does not contain these entries. @throws system errors */
  static async open(path: string, entries: readonly PackedEntry[]): Promise<PackageFile | undefined> {
    const last = entries.at(-1);
    const endBytes = last ? last.offset + localHeader(last).length + last.bytes : 0;
    // Opening does not truncate; a missing file is created, and is then too short for its entries.
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if ((await handle.stat()).size < endBytes) {
        await handle.close();
        return undefined;
      }
      await handle.truncate(endBytes);
      return new PackageFile(path, handle, entries, endBytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get endBytes(): number {
    return this.#endBytes;
  }

  /**
   * Appends one entry of exactly `bytes` bytes and flushes it. After a rejection the package is as before.
   * @throws RangeError if the source has another length; what the source throws; system errors
   */
  async add(
    name: string,
    bytes: number,
    timeMs: number,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    onBytes: (count: number) => void | Promise<void> = () => {},
  ): Promise<PackedEntry> {
    const offset = this.#endBytes;
    const header = localHeader({ name, bytes, timeMs, offset, crc: 0 });
    const sums = new Sums();
    try {
      await this.#write(header, offset);
      let at = 0;
      for await (const chunk of source) {
        if (at + chunk.length > bytes) throw new RangeError(`${name} is longer than announced`);
        await this.#write(chunk, offset + header.length + at);
        sums.update(chunk);
        at += chunk.length;
        await onBytes(chunk.length);
      }
      if (at !== bytes) throw new RangeError(`${name} is shorter than announced`);
      const entry = { name, bytes, timeMs, offset, ...sums.digest() };
      const crc = Buffer.alloc(4);
      crc.writeUInt32LE(entry.crc);
      await this.#write(crc, offset + localCrcPosition);
      await this.#handle.datasync();
      this.#entries.push(entry);
      this.#endBytes = offset + header.length + bytes;
      return entry;
    } catch (error) {
      await this.#handle.truncate(offset);
      throw error;
    }
  }

  /** Writes the central directory, flushes and gives the file its final name. @returns its length */
  async finish(finalPath: string): Promise<number> {
    const directory = centralDirectory(this.#entries, this.#endBytes);
    await this.#write(directory, this.#endBytes);
    await this.#handle.sync();
    await this.#handle.close();
    await moveFile(this.#path, finalPath);
    return this.#endBytes + directory.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    let at = 0;
    while (at < bytes.length) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, position + at);
      // A disk that accepts no more bytes without reporting an error is full as well.
      if (bytesWritten === 0)
        throw Object.assign(new Error('no more bytes could be written'), { code: 'ENOSPC' });
      at += bytesWritten;
    }
  }
}

/** CRC and hashes of the bytes that pass through. */
class Sums {
  readonly #whole = createHash('sha256');
  readonly #blocks: string[] = [];
  #block: Hash = createHash('sha256');
  #blockFilled = 0;
  #crc = 0;

  update(chunk: Uint8Array): void {
    this.#whole.update(chunk);
    this.#crc = crc32(chunk, this.#crc);
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + blockBytes - this.#blockFilled);
      this.#block.update(part);
      this.#blockFilled += part.length;
      at += part.length;
      if (this.#blockFilled === blockBytes) this.#closeBlock();
    }
  }

  digest(): { crc: number; sha256: string; blocks: string[] } {
    if (this.#blockFilled > 0) this.#closeBlock();
    return { crc: this.#crc, sha256: this.#whole.digest('hex'), blocks: this.#blocks };
  }

  #closeBlock(): void {
    this.#blocks.push(this.#block.digest('hex'));
    this.#block = createHash('sha256');
    this.#blockFilled = 0;
  }
}
