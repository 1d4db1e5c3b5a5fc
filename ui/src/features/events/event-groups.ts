import type { JournalEntry } from '@vidette/contract/journal';

/** Entries of one camera and kind in quick succession: one card. */
export interface EventGroup {
  /** Newest first, as in the journal; at least one. */
  readonly entries: readonly [JournalEntry, ...JournalEntry[]];
  /** The start of the earliest, UTC ms. */
  readonly startMs: number;
  /** The end of the latest; its start if it has no end. */
  readonly endMs: number;
}

/** A pause of up to this long between two entries does not end a burst. */
const PAUSE_MS = 60_000;
/** A burst is not longer: hours of wind in a tree are several cards, which lead to several moments. */
const BURST_MS = 15 * 60_000;

/**
 * Joins bursts: entries of one camera, kind and reason with short pauses between them, whatever happens elsewhere in
 * between. A group takes the place of its newest entry.
 * @param entries newest first
 */
export function grouped(entries: readonly JournalEntry[]): EventGroup[] {
  const groups: EventGroup[] = [];
  const openAt = new Map<string, number>();
  for (const entry of entries) {
    const source = `${entry.kind} ${entry.detail.code ?? ''} ${entry.stream ?? ''} ${entry.detail.subject ?? ''}`;
    const place = openAt.get(source);
    const open = place === undefined ? undefined : groups[place];
    const startMs = entry.startTime;
    const endMs = entry.endTime ?? startMs;
    const whole = open && {
      entries: [...open.entries, entry] as const,
      startMs: Math.min(open.startMs, startMs),
      endMs: Math.max(open.endMs, endMs),
    };
    const isBurst = whole && open.startMs - endMs <= PAUSE_MS && whole.endMs - whole.startMs <= BURST_MS;
    if (isBurst && place !== undefined) groups[place] = whole;
    else {
      openAt.set(source, groups.length);
      groups.push({ entries: [entry], startMs, endMs });
    }
  }
  return groups;
}

/** The earliest entry of a group, at which playback begins. */
export function firstOf({ entries }: EventGroup): JournalEntry {
  return entries.at(-1) ?? entries[0];
}

/** Whether a group has an entry that has not been reviewed. */
export function isUnreviewed({ entries }: EventGroup): boolean {
  return entries.some(({ isReviewed }) => !isReviewed);
}
