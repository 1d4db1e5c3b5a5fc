import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { recordedDaysQuery } from '../../streams/recorded-days-api.ts';
import { CalendarField } from '../../../components/calendar/calendar-field.tsx';
import { monthAfter } from '../../../components/calendar/days.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Zone } from '../../../timeline/zone.ts';
import classes from './save.module.css';
import { spanOfDays, type SaveSpan } from './span.ts';

const monthsInSight = 3;

interface DaysFieldProps {
  readonly uid: string;
  readonly zone: Zone;
  readonly nowMs: number;
  readonly maxRangeDays: number;
  readonly onSpan: (span: SaveSpan) => void;
}

/** Whole days; days with recordings are marked [R5.3]. */
export function DaysField({ uid, zone, nowMs, maxRangeDays, onSpan }: DaysFieldProps) {
  const i18n = useI18n();
  const today = zone.dayOf(nowMs);
  const [first, setFirst] = useState(monthAfter(today, 1 - monthsInSight));
  const { data } = useQuery(
    recordedDaysQuery(
      uid,
      zone.dayStartMs(first),
      Math.min(nowMs, zone.dayStartMs(monthAfter(first, monthsInSight))),
      zone.name,
    ),
  );
  return (
    <details className={classes.days}>
      <summary>{i18n.t('save.days')}</summary>
      <CalendarField
        label={i18n.t('save.calendar')}
        min="2000-01-01"
        max={today}
        months={monthsInSight}
        maxRangeDays={maxRangeDays}
        marked={new Set(data?.days)}
        markedText={i18n.t('calendar.recorded')}
        onMonths={([month]) => month !== undefined && setFirst(month)}
        onPeriod={(period) => onSpan(spanOfDays(period, zone, nowMs))}
      />
    </details>
  );
}
