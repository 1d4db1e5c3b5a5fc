import { createHash } from 'node:crypto';
import { type SegmentReader, readInChunks, decodeIndex, type FragmentEntry } from '../segments/segments.ts';

/** The metadata of an object: enough to restore its row (design/s3-tier.md, "Where things are"). */
export interface ObjectFacts {
  /** Of the whole file, in hex. */
  readonly sha256: string;
  readonly startTicks: number;
  readonly initBytes: number;
  /** Undefined if there are too many for the metadata. */
  readonly fragments: readonly FragmentEntry[] | undefined;
}

/** Stores accept 2 KB of metadata in total, and some (OpenStack Swift) 256 bytes per value. */
const indexMaxBytes = 1_200;
const indexPartBytes = 240;

export function metadataOf(facts: {
  readonly sha256: string;
  readonly startTicks: number;
  readonly initBytes: number;
  readonly entries: Uint8Array;
}): Record<string, string> {
  const index = Buffer.from(facts.entries).toString('base64');
  return {
    'vidette-sha256': facts.sha256,
    'vidette-start': String(facts.startTicks),
    'vidette-init': String(facts.initBytes),
    ...(index.length <= indexMaxBytes ? partsOf(index) : {}),
  };
}

function partsOf(index: string): Record<string, string> {
  const parts: Record<string, string> = {};
  for (let at = 0; at < index.length; at += indexPartBytes) {
    parts[indexKey(at / indexPartBytes)] = index.slice(at, at + indexPartBytes);
  }
  return parts;
}

function indexKey(part: number): string {
  return `vidette-index-${part}`;
}

/** Undefined when the object was not written by this program. */
export function factsOf(metadata: Readonly<Record<string, string>>): ObjectFacts | undefined {
  const sha256 = metadata['vidette-sha256'] ?? '';
  const startTicks = Number(metadata['vidette-start']);
  const initBytes = Number(metadata['vidette-init']);
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  if (!Number.isSafeInteger(startTicks) || !Number.isSafeInteger(initBytes) || initBytes <= 0)
    return undefined;
  let index = '';
  for (let part = 0; metadata[indexKey(part)] !== undefined; part++) index += metadata[indexKey(part)] ?? '';
  const fragments = index === '' ? undefined : decodeIndex(Buffer.from(index, 'base64'), 0, 0);
  return { sha256, startTicks, initBytes, fragments };
}

/** SHA-256 of the first `bytes`, in hex. */
export async function digestOf(reader: SegmentReader, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readInChunks(reader, 0, bytes)) hash.update(chunk);
  return hash.digest('hex');
}
