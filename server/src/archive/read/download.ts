import { initSegment } from '@vidette/media/fmp4/init';
import { rebaseFragment } from '@vidette/media/fmp4/rebase';
import { Fault } from '../../base/fault.ts';
import type { SegmentRow, CatalogStreamRow } from '../catalog/catalog.ts';
import { planOf, type DownloadPart, type DownloadPlan } from './download-plan.ts';
import {
  readInChunks,
  type SegmentReader,
  CATALOG_TIMESCALE,
  catalogMs,
  catalogMsCeil,
  catalogTicks,
} from '../segments/segments.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { readFragmentHead } from './fragment-head.ts';

/** A fragmented MP4 of a time span; its length is known before its first byte is read. */
export interface Download {
  /** Bytes. */
  readonly contentLength: number;
  /** Playback duration: the requested span without its gaps. */
  readonly durationMs: number;
  /** Time of its first frame and end of its last one; ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** 'gop': starts at the key frame before the requested time. 'frame': starts within a frame of it. */
  readonly exact: 'frame' | 'gop';
  /** The gaps that are closed in the file: its timeline is continuous across them. */
  readonly gaps: readonly { readonly startMs: number; readonly endMs: number }[];
  /**
   * It ends early because the footage that follows can't be in the same file: request the rest from `endMs`.
   * This happens where the video changes its codec, appears or disappears, and where the audio of a stream
   * without video changes.
   */
  readonly stopsAtChange: boolean;
  /**
   * The file, `contentLength` bytes, in chunks of at most 256 KiB (a single moof may be larger). Rejects with
   * Fault NotFound if retention deletes a file meanwhile.
   */
  stream(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** Usual frame duration, catalog ticks. */
const frameTicks = CATALOG_TIMESCALE / 25;

/** @throws Fault NotFound if nothing is recorded there */
export async function planDownload(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  startMs: number,
  endMs: number,
): Promise<Download> {
  // Start times are reported in whole ms, rounded down: a key frame within that ms is the one requested.
  const fromTicks = catalogTicks(startMs + 1) - 1;
  const plan = await planOf(reads, open, stream, fromTicks, catalogTicks(endMs));
  if (!plan || plan.parts.length === 0) throw new Fault('NotFound', 'Nothing is recorded there.');
  const durationMs = Math.round((plan.durationTicks * 1000) / CATALOG_TIMESCALE);
  const init = initSegment(plan.tracks, { durationMs, startsMs: plan.startsMs });
  const contentLength = plan.parts.reduce((sum, { size }) => sum + size, init.length);
  return {
    contentLength,
    durationMs,
    startMs: catalogMs(plan.startTicks),
    endMs: catalogMsCeil(plan.endTicks),
    exact: plan.startTicks < fromTicks - frameTicks ? 'gop' : 'frame',
    gaps: plan.gaps.map((gap) => ({
      startMs: catalogMsCeil(gap.startTicks),
      endMs: catalogMs(gap.endTicks),
    })),
    stopsAtChange: plan.stopsAtChange,
    stream: () => bytesOf(plan, init, open),
  };
}

async function* bytesOf(
  plan: DownloadPlan,
  init: Uint8Array,
  openSegment: SegmentOpener,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield init;
  let open: { readonly segment: SegmentRow; readonly reader: SegmentReader } | undefined;
  try {
    for (const part of plan.parts) {
      if (open?.segment !== part.segment) {
        await open?.reader.close();
        open = undefined;
        open = { segment: part.segment, reader: await openSegment(part.segment) };
      }
      yield* partBytes(open.reader, part);
    }
  } finally {
    await open?.reader.close();
  }
}

async function* partBytes(
  reader: SegmentReader,
  part: DownloadPart,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { position, placing } = part;
  const placed =
    part.subset ?? rebaseFragment((await readFragmentHead(reader, position)).moof, position.bytes, placing);
  if (placed.size !== part.size) {
    throw new Fault('InternalServerError', 'An archive file does not match its catalog row.');
  }
  for (const piece of placed.pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* readInChunks(reader, position.offset + piece.offset, piece.size);
  }
}
