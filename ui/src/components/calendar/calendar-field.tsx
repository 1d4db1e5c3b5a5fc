import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { SignButton } from '../sign-button.tsx';
import { Calendar, type CalendarOptions, type Period } from './calendar.ts';
import classes from './calendar.module.css';
import type { Day } from './days.ts';
import { MonthGrid } from './month-grid.tsx';

interface CalendarFieldProps extends CalendarOptions {
  readonly label: string;
  /** Days with content, and a text that says what it is. */
  readonly marked: ReadonlySet<Day>;
  readonly markedText: string;
  readonly onPeriod: (period: Period) => void;
  /** Called with the visible months, so that their content can be requested. */
  readonly onMonths?: (months: readonly Day[]) => void;
}

const daysByKey: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

/**
 * A range of days, chosen by two clicks, a single day by one, or by arrow keys and Enter. All rules are the
 * core's.
 */
export function CalendarField({
  label,
  marked,
  markedText,
  onPeriod,
  onMonths,
  ...options
}: CalendarFieldProps) {
  const i18n = useI18n();
  const { calendar, focusDay, frame, click, turn, onKeyDown } = useCalendar(options, onPeriod, onMonths);
  return (
    <div ref={frame} role="group" aria-label={label} className={classes.calendar}>
      <div className={classes.turn}>
        <SignButton
          icon={IconChevronLeft}
          label={i18n.t('calendar.earlier')}
          isDisabled={!calendar.canTurn(-1)}
          onClick={() => turn(-1)}
        />
        <SignButton
          icon={IconChevronRight}
          label={i18n.t('calendar.later')}
          isDisabled={!calendar.canTurn(1)}
          onClick={() => turn(1)}
        />
      </div>
      <div className={classes.months}>
        {calendar.months.map((month) => (
          <MonthGrid
            key={month}
            month={month}
            calendar={calendar}
            marked={marked}
            markedText={markedText}
            focusDay={focusDay}
            onClick={click}
            onKeyDown={onKeyDown}
          />
        ))}
      </div>
    </div>
  );
}

/** A calendar with the day that has the keyboard focus, and what clicks and keys do to them. */
function useCalendar(
  options: CalendarOptions,
  onPeriod: CalendarFieldProps['onPeriod'],
  onMonths: CalendarFieldProps['onMonths'],
) {
  const [calendar, setCalendar] = useState(() => new Calendar(options));
  const [focusDay, setFocusDay] = useState(options.period?.end ?? options.max);
  const frame = useRef<HTMLDivElement>(null);
  const isKeyed = useRef(false);

  useLayoutEffect(() => {
    if (!isKeyed.current) return;
    isKeyed.current = false;
    frame.current?.querySelector<HTMLElement>(`[data-day="${focusDay}"]`)?.focus();
  }, [focusDay]);

  const show = (next: Calendar) => {
    setCalendar(next);
    if (next.months[0] !== calendar.months[0]) onMonths?.(next.months);
  };
  const click = (day: Day) => {
    const next = calendar.click(day);
    setFocusDay(day);
    show(next);
    if (next !== calendar && next.period) onPeriod(next.period);
  };
  const turn = (months: number) => {
    const next = calendar.turn(months);
    const [first] = next.months;
    if (first !== undefined) setFocusDay(first);
    show(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = daysByKey[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const day = calendar.step(focusDay, by);
    isKeyed.current = true;
    setFocusDay(day);
    show(calendar.showing(day));
  };
  return { calendar, focusDay, frame, click, turn, onKeyDown };
}
