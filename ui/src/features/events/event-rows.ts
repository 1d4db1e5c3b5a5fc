import type { Zone } from '../../timeline/zone.ts';
import type { EventGroup } from './event-groups.ts';

/** One line of the list: a day's heading, or a card. */
export type EventRow =
  | { readonly kind: 'day'; readonly startMs: number }
  /** `place`: its position among the cards, from 0. */
  | { readonly kind: 'card'; readonly group: EventGroup; readonly place: number };

/** The lines of the list, a heading before the first card of each day. */
export function rowsOf(groups: readonly EventGroup[], zone: Zone): EventRow[] {
  const rows: EventRow[] = [];
  let day = '';
  for (const [place, group] of groups.entries()) {
    const startMs = group.entries[0].startTime;
    const own = zone.dayOf(startMs);
    if (own !== day) rows.push({ kind: 'day', startMs });
    day = own;
    rows.push({ kind: 'card', group, place });
  }
  return rows;
}

/** The top of each line, px, and after the last one the end of the list. */
export function topsOf(
  rows: readonly EventRow[],
  heightsPx: Readonly<Record<EventRow['kind'], number>>,
): number[] {
  const tops = [0];
  for (const { kind } of rows) tops.push((tops.at(-1) ?? 0) + heightsPx[kind]);
  return tops;
}
