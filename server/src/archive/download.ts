import { initSegment } from '@vidette/media/fmp4/init';
import { rebaseFragment } from '@vidette/media/fmp4/rebase';
import { Fault } from '../base/fault.ts';
import type { SegmentRow, CatalogStreamRow } from './catalog-reads.ts';
import { planOf, type DownloadPart, type DownloadPlan } from './download-plan.ts';
import { readInChunks, type SegmentReader } from './file-bytes.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { readFragmentHead } from './fragment-head.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogMsCeil, catalogTicks } from './layout.ts';

/** One fragmented MP4 of a span, whose length is known before its first byte is read. */
export interface Download {
  /** Bytes. */
  readonly contentLength: number;
  /** What a player shows: what was asked for less its gaps. */
  readonly durationMs: number;
  /** Of its first frame, and the end of its last; ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** 'gop': starts at a key frame before the moment asked for. 'frame': starts within a frame of it. */
  readonly exact: 'frame' | 'gop';
  /** Closed up in the file: time runs on over them. */
  readonly gaps: readonly { readonly startMs: number; readonly endMs: number }[];
  /**
   * It ends early, for what follows can't be in the same file: ask again from `endMs` for the rest. So it is where the
   * frames change their codec, come or go, and where the audio of a stream without frames changes.
   */
  readonly stopsAtChange: boolean;
  /**
   * The file, `contentLength` bytes, in pieces of at most 256 KiB (a whole moof may be larger).
   * Rejects with Fault NotFound when retention takes a file away meanwhile.
   */
  stream(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** One usual frame, catalog ticks. */
const frameTicks = CATALOG_TIMESCALE / 25;

/** @throws Fault NotFound when nothing is recorded there */
export async function planDownload(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  startMs: number,
  endMs: number,
): Promise<Download> {
  // Starts are told in whole ms, rounded down: a key frame of that very ms is the one that is meant.
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
    throw new Fault('InternalServerError', 'A file of the archive does not hold what its row says.');
  }
  for (const piece of placed.pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* readInChunks(reader, position.offset + piece.offset, piece.size);
  }
}
