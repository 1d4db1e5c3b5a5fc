import { createHash } from 'node:crypto';
import type { SegmentReader } from './file-bytes.ts';
import { readInChunks } from './file-bytes.ts';
import { decodeIndex, encodeEntry, type FragmentEntry } from './fragment-index.ts';

/** What goes with an object: enough to make its row anew (design/s3-tier.md, "Where things are"). */
export interface FarFacts {
  /** Of the whole file, in hex. */
  readonly sha256: string;
  readonly startTicks: number;
  readonly initBytes: number;
  /** Undefined when they were too many for metadata. */
  readonly fragments: readonly FragmentEntry[] | undefined;
}

/** Stores take 2 KB of metadata in all. */
const indexMaxBytes = 1_200;

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
    ...(index.length <= indexMaxBytes ? { 'vidette-index': index } : {}),
  };
}

/** Undefined when the object was not put there by this program. */
export function factsOf(metadata: Readonly<Record<string, string>>): FarFacts | undefined {
  const sha256 = metadata['vidette-sha256'] ?? '';
  const startTicks = Number(metadata['vidette-start']);
  const initBytes = Number(metadata['vidette-init']);
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  if (!Number.isSafeInteger(startTicks) || !Number.isSafeInteger(initBytes) || initBytes <= 0)
    return undefined;
  const index = metadata['vidette-index'];
  const fragments = index === undefined ? undefined : decodeIndex(Buffer.from(index, 'base64'), 0, 0);
  return { sha256, startTicks, initBytes, fragments };
}

/** Of fragments as they are stored in the catalog. */
export function entriesOf(fragments: readonly FragmentEntry[]): Uint8Array {
  return Buffer.concat(fragments.map(encodeEntry));
}

/** SHA-256 of the first `bytes`, in hex. */
export async function digestOf(reader: SegmentReader, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readInChunks(reader, 0, bytes)) hash.update(chunk);
  return hash.digest('hex');
}
