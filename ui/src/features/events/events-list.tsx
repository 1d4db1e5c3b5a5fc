import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { rowsBetween } from '../streams/list/rows.ts';
import { EventCard } from './event-card.tsx';
import type { EventGroup } from './event-groups.ts';
import { rowsOf, topsOf } from './event-rows.ts';
import classes from './events.module.css';
import type { StillLoader } from './still-loader.ts';

interface EventsListProps {
  readonly groups: readonly EventGroup[];
  /** Position of the chosen card; -1 without one. */
  readonly chosen: number;
  readonly stills: StillLoader;
  /** How many cards there are, if all are loaded; otherwise unknown. */
  readonly isWhole: boolean;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly onChoose: (place: number) => void;
  /** Called when the end of the loaded cards is near. */
  readonly onEnd: () => void;
}

const cardRem = 5.5;
const dayRem = 1.5;
/** Overscan, as a share of the list's height. */
const beyond = 0.5;

/** The cards: only those near the visible part exist, however many there are. */
export function EventsList(props: EventsListProps) {
  const { groups, chosen, stills, isWhole, listRef, onChoose, onEnd } = props;
  const i18n = useI18n();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const rows = useMemo(() => rowsOf(groups, zone), [groups, zone]);
  const tops = useMemo(() => {
    const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    return topsOf(rows, { card: cardRem * remPx, day: dayRem * remPx });
  }, [rows]);
  const { first, end } = useRowsInSight(listRef, tops);
  useChosenInSight(listRef, tops, rows, chosen);
  useEffect(() => {
    if (end >= rows.length - 1) onEnd();
  }, [end, rows.length, onEnd]);
  const inSight = rows.slice(first, end);
  return (
    <div
      ref={listRef}
      className={classes.list}
      role="listbox"
      tabIndex={0}
      aria-label={i18n.t('title.events')}
      {...(chosen >= 0 ? { 'aria-activedescendant': `event-${chosen}` } : {})}
    >
      <div className={classes.rows} role="presentation" style={{ height: tops.at(-1) }}>
        {inSight.map((row, at) => {
          const style = { transform: `translateY(${tops[first + at] ?? 0}px)` };
          if (row.kind === 'day')
            return (
              <div key={`day ${row.startMs}`} className={classes.day} role="presentation" style={style}>
                {i18n.date(row.startMs)}
              </div>
            );
          const { group, place } = row;
          return (
            <button
              key={group.entries[0].id}
              type="button"
              tabIndex={-1}
              id={`event-${place}`}
              className={classes.option}
              role="option"
              style={style}
              aria-selected={place === chosen}
              aria-posinset={place + 1}
              aria-setsize={isWhole ? groups.length : -1}
              onClick={() => onChoose(place)}
            >
              <EventCard group={group} stills={stills} />
            </button>
          );
        })}
      </div>
    </div>
  );
}

/** The lines near the visible part of the list. */
function useRowsInSight(listRef: RefObject<HTMLDivElement | null>, tops: readonly number[]) {
  const [rows, setRows] = useState({ first: 0, end: 0 });
  useEffect(() => {
    const list = listRef.current;
    if (!list) return;
    const look = () => {
      const margin = list.clientHeight * beyond;
      const next = rowsBetween(tops, list.scrollTop - margin, list.scrollTop + list.clientHeight + margin);
      setRows((now) => (now.first === next.first && now.end === next.end ? now : next));
    };
    look();
    list.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(list);
    return () => {
      list.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [listRef, tops]);
  return rows;
}

/** Scrolls the chosen card into the visible part of the list, when another one is chosen. */
function useChosenInSight(
  listRef: RefObject<HTMLDivElement | null>,
  tops: readonly number[],
  rows: ReturnType<typeof rowsOf>,
  chosen: number,
): void {
  const shown = useRef(-1);
  useEffect(() => {
    const list = listRef.current;
    if (!list || chosen === shown.current) return;
    shown.current = chosen;
    const at = rows.findIndex((row) => row.kind === 'card' && row.place === chosen);
    const topPx = tops[at];
    const endPx = tops[at + 1];
    if (topPx === undefined || endPx === undefined || at < 0) return;
    if (topPx < list.scrollTop)
      list.scrollTop = rows[at - 1]?.kind === 'day' ? (tops[at - 1] ?? topPx) : topPx;
    else if (endPx > list.scrollTop + list.clientHeight) list.scrollTop = endPx - list.clientHeight;
  }, [listRef, tops, rows, chosen]);
}
