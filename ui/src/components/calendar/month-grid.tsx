import type { KeyboardEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Calendar } from './calendar.ts';
import classes from './calendar.module.css';
import { msOf, weeksOf, type Day } from './days.ts';
import { monthName, weekdayNames } from './names.ts';

interface MonthGridProps {
  readonly month: Day;
  readonly calendar: Calendar;
  /** Days marked with a dot, and the text that explains it. */
  readonly marked: ReadonlySet<Day>;
  readonly markedText: string;
  /** The one day in the Tab order. */
  readonly focusDay: Day;
  readonly onClick: (day: Day) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** One month as a table of weeks, Monday first. */
export function MonthGrid({
  month,
  calendar,
  marked,
  markedText,
  focusDay,
  onClick,
  onKeyDown,
}: MonthGridProps) {
  const i18n = useI18n();
  const weeks = weeksOf(month);
  const title = monthName(month, i18n.language);
  return (
    <table className={classes.month} aria-label={title}>
      <caption>{title}</caption>
      <thead>
        <tr>
          {weekdayNames(i18n.language).map(({ short, long }) => (
            <th key={long} scope="col" abbr={long}>
              {short}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, index) => (
          <tr key={week.find((day) => day !== undefined) ?? index}>
            {week.map((day, column) =>
              day === undefined ? (
                <td key={column} aria-hidden="true" />
              ) : (
                <td key={day}>
                  <DayButton
                    day={day}
                    calendar={calendar}
                    words={marked.has(day) ? markedText : undefined}
                    isReached={day === focusDay}
                    onClick={onClick}
                    onKeyDown={onKeyDown}
                  />
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayButtonProps {
  readonly day: Day;
  readonly calendar: Calendar;
  readonly words: string | undefined;
  readonly isReached: boolean;
  readonly onClick: (day: Day) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function DayButton({ day, calendar, words, isReached, onClick, onKeyDown }: DayButtonProps) {
  const i18n = useI18n();
  const { isClickable, isSelected, isEnd } = calendar.stateOf(day);
  const name = i18n.date(msOf(day), 'UTC');
  return (
    <button
      type="button"
      className={classes.day}
      data-day={day}
      data-selected={isSelected}
      data-end={isEnd}
      data-marked={words !== undefined}
      aria-label={words === undefined ? name : `${name}, ${words}`}
      aria-pressed={isSelected}
      aria-disabled={!isClickable}
      tabIndex={isReached ? 0 : -1}
      onClick={() => onClick(day)}
      onKeyDown={onKeyDown}
    >
      {Number(day.slice(8))}
    </button>
  );
}
