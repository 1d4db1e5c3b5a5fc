import { z } from 'zod';
import { gapCauses } from '@vidette/contract/constants';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { CatalogSlice } from '../archive/read/read.ts';
import { decodeIndex, catalogTicks } from '../archive/segments/segments.ts';
import { Fault } from '../base/fault.ts';

/**
 * Validates the answers of other nodes about their archives. A node proves its identity, not its correctness:
 * an answer may come from a faulty version, from a damaged catalog, or be fabricated.
 */

/** No camera's clock is set to a later year. */
const latestMs = Date.UTC(3000, 0, 1);
const time = z.int().min(0).max(latestMs);
const ticks = z.int().min(0).max(catalogTicks(latestMs));
const count = z.int().min(0);
const base64 = z
  .string()
  .max(8_000_000)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

// A later version may know causes that this one has no messages for.
const Interruption = z.object({ atTicks: ticks, cause: z.enum(gapCauses).catch('none') });

const Segment = z
  .object({
    startTicks: ticks,
    endTicks: ticks,
    bytes: count,
    initId: count,
    isOpen: z.boolean(),
    entries: base64,
  })
  .refine(({ startTicks, endTicks }) => startTicks < endTicks);

const Slice = z.object({
  segmentCount: count,
  removedUntilTicks: ticks,
  isLive: z.boolean(),
  newestEndTicks: ticks,
  segments: z.array(Segment).max(20_000),
  inits: z.record(z.string().max(20), base64),
  interruptions: z.array(Interruption).max(200_000),
  isCut: z.boolean(),
});

const share = z.object({
  expectedMs: z.number().min(0),
  recordedMs: z.number().min(0),
  share: z.number().min(0).max(1).nullable(),
});

export const RemoteRecorded = z.object({ day: share, month: share });

export const RemoteStats = z.object({
  startTime: time.nullable(),
  endTime: time.nullable(),
  durationMs: z.number().min(0),
  bytes: count,
  // A node of an earlier version sends none.
  farBytes: count.default(0),
  importedBytes: count.optional(),
  segments: count,
  bitrate: z.number().min(0),
  recorded: z.object({ day: share, month: share, isYoung: z.boolean() }).nullable(),
});

export const RemoteLoss = z.object({
  depthHours: z.int().min(-1).nullable(),
  fromTime: time.nullable(),
  untilTime: time.nullable(),
  durationMs: z.number().min(0),
  bytes: count,
  beginsAt: time.nullable(),
});

export const RemoteDays = z
  .array(
    z.object({
      day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
      spanMs: z.number().min(0),
      recordedMs: z.number().min(0),
    }),
  )
  .max(4_000);

/** Streams of which a node has recordings of other programs. */
export const RemoteImports = z.object({ streams: z.array(z.string().max(64)).max(100_000) });

/** Of what a node knows of all its streams. */
export const figuresLimits = { maxBytes: 16 * 1024 * 1024, timeoutMs: 4_000 };

export const RemoteFigures = z.object({
  streams: z
    .array(
      z.object({
        uid: z.string().max(64),
        viewers: count.nullable(),
        share: z.number().min(0).max(1).nullable(),
        oldestMs: time.nullable(),
        bytes: count,
        durationMs: z.number().min(0),
      }),
    )
    .max(100_000),
});

export const RemoteSize = z.object({ size: count, isGrowing: z.boolean() });

/** @throws Fault Unavailable for an invalid answer */
export function believed<T>(schema: z.ZodType<T>, answer: unknown, node: string): T {
  const result = schema.safeParse(answer);
  if (!result.success) throw nonsense(node, result.error);
  return result.data;
}

/** A slice that the archive's own code can work on: segments in order, indexes and inits that can be read. */
export function believedSlice(answer: unknown, node: string): CatalogSlice {
  const slice = believed(Slice, answer, node);
  try {
    for (const init of Object.values(slice.inits)) parseInit(Buffer.from(init, 'base64'));
    for (const { startTicks, entries, initId } of slice.segments) {
      if (entries === '') continue;
      const init = slice.inits[initId];
      if (init === undefined) throw new RangeError('A segment has no init');
      const positions = decodeIndex(
        Buffer.from(entries, 'base64'),
        startTicks,
        Buffer.byteLength(init, 'base64'),
      );
      const last = positions.at(-1);
      if (!last || !Number.isSafeInteger(last.startTicks + last.durationTicks + last.offset + last.bytes)) {
        throw new RangeError('An index is out of range');
      }
    }
  } catch (cause) {
    throw nonsense(node, cause);
  }
  return { ...slice, segments: slice.segments.toSorted((a, b) => a.startTicks - b.startTicks) };
}

function nonsense(node: string, cause: unknown): Fault {
  return new Fault('Unavailable', `The answer of the node ${node} is not valid.`, { cause });
}
