// The plan of a digest, which the page plays and the server exports.
import { eventLeadMs, playbackSpeeds } from './constants.ts';
import type { JournalEntry } from './journal.ts';

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

/** A stretch without footage, which is said for a moment, with what says so, oldest first. */
interface Gap {
  readonly type: 'gap';
  readonly uid: string;
  readonly name: string;
  /** UTC ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly entries: readonly [JournalEntry, ...JournalEntry[]];
}

export type DigestPart = Clip | Gap;

/** UTC ms. */
interface DigestSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

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
  /** What does not fit into two minutes even so. */
  readonly leftOut: { readonly clips: number; readonly gaps: number };
}

/** The span of the export of one digest. */
export const digestSpanMaxDays = 31;
/** Cameras that a request for the export of a digest names; of all cameras, the plan has those that fit into it. */
export const digestStreamsMax = 64;
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
/** A shorter outage is no gap: the journal has no gaps that are shorter, either. */
const outageMinMs = 10_000;

const speeds = playbackSpeeds.filter((speed) => speed >= 1);
const fastest = Math.max(...speeds) as DigestSpeed;

/**
 * Clips and gaps of some entries, and the lowest speed at which they take two minutes. If no speed suffices, the longest
 * clips are cut; if that does not suffice either, clips and the shortest gaps are left out.
 * @param entries in any order; those without a stream or of other kinds are ignored
 * @param span what is digested, UTC ms; clips and gaps end there, and what is still going on ends at `nowMs` if that is
 *   earlier
 */
export function planOf(entries: readonly JournalEntry[], span: DigestSpan): DigestPlan {
  const allClips = clipsOf(entries, span);
  const allGaps = gapsOf(entries, span);
  // Gaps take at most half of the time where clips need it: they are what the digest is for.
  const neededMs = Math.min(digestTargetMs / 2, sum(allClips.map(lengthOf)) / fastest);
  const gaps = longestOf(allGaps, Math.floor((digestTargetMs - neededMs) / gapShownMs));
  const gapsMs = gaps.length * gapShownMs;
  const roomMs = digestTargetMs - gapsMs;
  const playedMs = sum(allClips.map(lengthOf));
  const speed = speeds.find((one) => playedMs / one <= roomMs);
  const clips = speed === undefined ? clipsThatFit(allClips, roomMs) : allClips;
  const parts = [...clips, ...gaps].sort((a, b) => a.fromMs - b.fromMs || a.uid.localeCompare(b.uid));
  return {
    parts,
    speed: speed ?? fastest,
    lengthMs: gapsMs + sum(clips.map(lengthOf)) / (speed ?? fastest),
    isCut: speed === undefined,
    leftOut: { clips: allClips.length - clips.length, gaps: allGaps.length - gaps.length },
  };
}

/** As many clips as can be recognized in this time at the highest speed, the longest ones cut to a common length. */
function clipsThatFit(clips: readonly Clip[], roomMs: number): Clip[] {
  const chosen = chosenOf(clips, Math.floor(roomMs / clipShownMinMs));
  const mostMs = Math.max(clipShownMinMs * fastest, longestThatFit(chosen.map(lengthOf), roomMs * fastest));
  return chosen.map((clip) => ({ ...clip, toMs: Math.min(clip.toMs, clip.fromMs + mostMs) }));
}

/**
 * The clips of each camera that say most: no camera crowds out the others, as one with a tree in the wind would.
 * @param most the number of all together
 */
function chosenOf(clips: readonly Clip[], most: number): Clip[] {
  if (clips.length <= most) return [...clips];
  const cameras = [...Map.groupBy(clips, ({ uid }) => uid).values()].sort((a, b) => a.length - b.length);
  let left = most;
  return cameras.flatMap((own, place) => {
    const chosen = mostTelling(own, Math.floor(left / (cameras.length - place)));
    left -= chosen.length;
    return chosen;
  });
}

/** Those with annotations first, of detectors or people; then motion. */
function mostTelling(clips: readonly Clip[], count: number): readonly Clip[] {
  if (clips.length <= count) return clips;
  const isNoted = ({ entries }: Clip) => entries.some(({ kind }) => kind === 'annotation');
  const noted = longestOfEachPart(clips.filter(isNoted), count);
  const motion = clips.filter((clip) => !isNoted(clip));
  return [...noted, ...longestOfEachPart(motion, count - noted.length)];
}

/** The longest clip of each of `count` equal parts, so that the whole time is represented. */
function longestOfEachPart(clips: readonly Clip[], count: number): Clip[] {
  if (clips.length <= count) return [...clips];
  return Array.from({ length: count }, (_, part) => {
    const [first, end] = [part, part + 1].map((one) => Math.floor((one * clips.length) / count));
    return longestOf(clips.slice(first, end), 1);
  }).flat();
}

function longestOf<T extends DigestPart>(parts: readonly T[], most: number): T[] {
  return parts.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, most);
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
function clipsOf(entries: readonly JournalEntry[], span: DigestSpan): Clip[] {
  const clips: Clip[] = [];
  const lastAt = new Map<string, number>();
  const rising = entries
    .filter(({ kind, stream }) => stream !== null && (kind === 'motion' || kind === 'annotation'))
    .toSorted((a, b) => a.startTime - b.startTime || a.id - b.id);
  for (const entry of rising) {
    const uid = entry.stream ?? '';
    const fromMs = Math.max(span.fromMs, entry.startTime - eventLeadMs);
    const toMs = Math.min(span.toMs, endOf(entry, span) + tailMs);
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

/** Gaps, and outages whose gap is not an entry yet; those that overlap on a camera are one. */
function gapsOf(entries: readonly JournalEntry[], span: DigestSpan): Gap[] {
  const gaps: Gap[] = [];
  const lastAt = new Map<string, number>();
  const rising = entries
    .flatMap((entry) => gapOf(entry, span) ?? [])
    .toSorted((a, b) => a.fromMs - b.fromMs || a.entries[0].startTime - b.entries[0].startTime);
  for (const gap of rising) {
    const place = lastAt.get(gap.uid);
    const last = place === undefined ? undefined : gaps[place];
    if (place !== undefined && last && gap.fromMs <= last.toMs)
      gaps[place] = {
        ...last,
        toMs: Math.max(last.toMs, gap.toMs),
        entries: [...last.entries, ...gap.entries],
      };
    else {
      lastAt.set(gap.uid, gaps.length);
      gaps.push(gap);
    }
  }
  return gaps;
}

/** What an entry says is missing from the span. */
function gapOf(entry: JournalEntry, span: DigestSpan): Gap | undefined {
  const { kind, stream, streamName, startTime, detail } = entry;
  const isOutage = kind === 'stream-down' || kind === 'recording-stopped';
  if (stream === null || !(kind === 'gap' || isOutage)) return undefined;
  // Of a camera that flaps, what was missing before has gaps of its own, and the rest was recorded.
  const startMs = isOutage ? (detail.figures['lastStartTime'] ?? startTime) : startTime;
  const endMs = endOf(entry, span);
  if (isOutage && endMs - startMs < outageMinMs) return undefined;
  const fromMs = Math.max(span.fromMs, startMs);
  const toMs = Math.min(span.toMs, endMs);
  if (toMs <= fromMs) return undefined;
  return { type: 'gap', uid: stream, name: streamName ?? '', fromMs, toMs, entries: [entry] };
}

/** Of what is still going on, now. */
function endOf({ startTime, endTime, isOngoing }: JournalEntry, { nowMs }: DigestSpan): number {
  return endTime ?? (isOngoing ? nowMs : startTime);
}
