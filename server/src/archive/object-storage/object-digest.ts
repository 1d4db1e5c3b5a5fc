import { createHash } from 'node:crypto';
import type { SegmentReader } from '../segments/segments.ts';

/** Larger files are uploaded in parts; one part is held in memory. The protocol requires at least 5 MB. */
export const wholeMaxBytes = 16_777_216;
export const partBytes = 8_388_608;

/**
 * Whether a store's own digest of an object (the S3 ETag of the received bytes) matches the first `bytes` of a
 * file: the MD5, or for a multipart upload the MD5 of the parts' MD5s and their number. Also false where the
 * store's ETag is something else, as with server-side encryption keys: then only reading the object back proves
 * it.
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
