import { createHash } from 'node:crypto';
import type { SegmentReader } from './file-bytes.ts';

/** Larger files go up in parts, of which one is in memory. The protocol asks for 5 MB at least. */
export const wholeMaxBytes = 16_777_216;
export const partBytes = 8_388_608;

/**
 * Whether a store's own digest of an object (the ETag of S3, of what it received) is that of the first `bytes` of a file: the MD5,
 * or of an object sent in parts the MD5 of their MD5s and their number. False also where the store's ETag is something else,
 * as under keys of its own: then only reading the object tells.
 */
export async function etagFits(
  etag: string | undefined,
  reader: Pick<SegmentReader, 'read'>,
  bytes: number,
): Promise<boolean> {
  const found = etag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase();
  if (found === undefined || !/^[0-9a-f]{32}(-\d+)?$/.test(found)) return false;
  if (bytes <= wholeMaxBytes) return found === md5(await reader.read(0, bytes)).toString('hex');
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes; at += partBytes) {
    parts.push(md5(await reader.read(at, Math.min(partBytes, bytes - at))));
  }
  return found === `${md5(Buffer.concat(parts)).toString('hex')}-${parts.length}`;
}

function md5(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}
