// The plan of a digest, which the page plays and the server exports.
import { eventLeadMs, playbackSpeeds } from './constants.ts';
import type { JournalEntry, JournalKind } from './journal.ts';

/** A stretch of one camera's footage that is played. */
export interface Clip {
  readonly type: 'clip';
  readonly uid: string;
  readonly name: string;
  /** UTC ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What happened in it, oldest first. */
  readonly entries: readonly [JournalEntry, ...JournalEntry[]];
}

/** A stretch without footage, which is said for a moment. */
interface Gap {
  readonly type: 'gap';
  readonly uid: string;
  readonly name: string;
  /** UTC ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly entries: readonly [JournalEntry];
}

export type DigestPart = Clip | Gap;

/** 1 to 16. */
type DigestSpeed = (typeof playbackSpeeds)[number];

/** What is played one after the other, oldest first. */
export interface DigestPlan {
  readonly parts: readonly DigestPart[];
  readonly speed: DigestSpeed;
  /** How long it takes at that speed, without waiting, ms. */
  readonly lengthMs: number;
  /** Clips are cut, because even the highest speed would not suffice. */
  readonly isCut: boolean;
}

/** Entries of the journal in one digest: more would play for hours. */
export const digestEntriesMax = 2_000;
/** The span of the export of one digest. */
export const digestSpanMaxDays = 31;
/** Cameras in the export of one digest. */
export const digestStreamsMax = 64;
/** An event that began this long before the span may continue in it. */
export const digestBeforeMs = 3_600_000;
/** What a digest shows. */
export const digestKinds = ['motion', 'annotation', 'gap'] as const satisfies readonly JournalKind[];

/** Whether an entry that began before the end of a span reaches into it. */
export function reachesSpan({ startTime, endTime, isOngoing }: JournalEntry, fromMs: number): boolean {
  return isOngoing || (endTime ?? startTime) >= fromMs;
}

/** A digest should not take longer. */
export const digestTargetMs = 120_000;
/** How long a gap is said. */
export const gapShownMs = 1_500;
/** Shown of a cut clip at least: shorter ones can't be recognized. */
const clipShownMinMs = 500;
/** Footage after an event. */
const tailMs = 2_000;
/** Two events of a camera with a shorter pause are one clip. */
const joinMs = 5_000;

const speeds = playbackSpeeds.filter((speed) => speed >= 1);
const fastest = Math.max(...speeds) as DigestSpeed;

/**
 * All clips and gaps of some entries, and the lowest speed at which they take two minutes. If no speed suffices, the longest
 * clips are cut, and a digest of hundreds of events takes longer.
 * @param entries in any order; those without a stream or of other kinds are ignored
 * @param span what is digested, UTC ms; clips end there
 */
export function planOf(
  entries: readonly JournalEntry[],
  span: { readonly fromMs: number; readonly toMs: number },
): DigestPlan {
  const parts = [...clipsOf(entries, span), ...gapsOf(entries, span)].sort(
    (a, b) => a.fromMs - b.fromMs || a.uid.localeCompare(b.uid),
  );
  const gapsMs = parts.filter(({ type }) => type === 'gap').length * gapShownMs;
  const playedMs = sum(parts.filter(isClip).map(lengthOf));
  // Gaps take at most half of the time: the clips are what the digest is for.
  const roomMs = Math.max(digestTargetMs / 2, digestTargetMs - gapsMs);
  const speed = speeds.find((one) => playedMs / one <= roomMs);
  if (speed !== undefined) return { parts, speed, lengthMs: gapsMs + playedMs / speed, isCut: false };
  const mostMs = Math.max(
    clipShownMinMs * fastest,
    longestThatFit(parts.filter(isClip).map(lengthOf), roomMs * fastest),
  );
  const cut = parts.map((part) =>
    isClip(part) ? { ...part, toMs: Math.min(part.toMs, part.fromMs + mostMs) } : part,
  );
  return {
    parts: cut,
    speed: fastest,
    lengthMs: gapsMs + sum(cut.filter(isClip).map(lengthOf)) / fastest,
    isCut: true,
  };
}

function isClip(part: DigestPart): part is Clip {
  return part.type === 'clip';
}

function lengthOf({ fromMs, toMs }: DigestPart): number {
  return toMs - fromMs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The length to which the longest ones must be cut, so that all together have `roomMs`. */
function longestThatFit(lengths: readonly number[], roomMs: number): number {
  const rising = lengths.toSorted((a, b) => a - b);
  let leftMs = roomMs;
  for (const [index, lengthMs] of rising.entries()) {
    const shareMs = leftMs / (rising.length - index);
    if (lengthMs > shareMs) return shareMs;
    leftMs -= lengthMs;
  }
  return rising.at(-1) ?? 0;
}

/** Motion and annotations with a lead and a tail; those that overlap on a camera are one clip. */
function clipsOf(
  entries: readonly JournalEntry[],
  span: { readonly fromMs: number; readonly toMs: number },
): Clip[] {
  const clips: Clip[] = [];
  const lastAt = new Map<string, number>();
  const rising = entries
    .filter(({ kind, stream }) => stream !== null && (kind === 'motion' || kind === 'annotation'))
    .toSorted((a, b) => a.startTime - b.startTime || a.id - b.id);
  for (const entry of rising) {
    const uid = entry.stream ?? '';
    const fromMs = Math.max(span.fromMs, entry.startTime - eventLeadMs);
    const endMs = entry.endTime ?? (entry.isOngoing ? span.toMs : entry.startTime);
    const toMs = Math.min(span.toMs, endMs + tailMs);
    if (toMs <= fromMs) continue;
    const place = lastAt.get(uid);
    const last = place === undefined ? undefined : clips[place];
    if (place !== undefined && last && fromMs - last.toMs <= joinMs)
      clips[place] = { ...last, toMs: Math.max(last.toMs, toMs), entries: [...last.entries, entry] };
    else {
      lastAt.set(uid, clips.length);
      clips.push({ type: 'clip', uid, name: entry.streamName ?? '', fromMs, toMs, entries: [entry] });
    }
  }
  return clips;
}

function gapsOf(
  entries: readonly JournalEntry[],
  span: { readonly fromMs: number; readonly toMs: number },
): Gap[] {
  return entries
    .filter(({ kind, stream }) => stream !== null && kind === 'gap')
    .map((entry) => ({
      type: 'gap' as const,
      uid: entry.stream ?? '',
      name: entry.streamName ?? '',
      fromMs: Math.max(span.fromMs, entry.startTime),
      toMs: Math.min(span.toMs, entry.endTime ?? span.toMs),
      entries: [entry] as const,
    }))
    .filter((gap) => gap.toMs > gap.fromMs);
}
