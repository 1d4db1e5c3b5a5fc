import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';

/** Writes a stream of bytes as one Zstandard frame with a checksum. @param {Iterable<Buffer>} bytes @param {number} level 1 to 19 @param {string} path */
export async function compress(bytes, level, path) {
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  await pipeline(Readable.from(bytes), createZstdCompress({ params }), createWriteStream(path));
}
