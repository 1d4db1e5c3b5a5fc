import type { RulePreview } from '@vidette/contract/notifications';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { Link } from '../../routing/react/link.tsx';
import { dayText, kindText } from './rule-sentence.ts';
import classes from './notifications.module.css';

const partText: Record<NonNullable<RulePreview['busiest']>['part'], MessageKey> = {
  night: 'rule.part.night',
  morning: 'rule.part.morning',
  afternoon: 'rule.part.afternoon',
  evening: 'rule.part.evening',
};

const unknownTexts: Record<RulePreview['unknown'][number], MessageKey> = {
  presence: 'rule.preview.presence',
  'other-rule': 'rule.preview.other-rule',
};

/** What a rule would have done: in a sentence, by day, and the latest times. */
export function RulePreviewPanel({ preview }: { preview: RulePreview }) {
  const i18n = useI18n();
  const { items, isCut, unknown } = preview;
  return (
    <section className={classes.preview} aria-live="polite" data-testid="rule-preview">
      <h3>{i18n.t('rule.preview.title')}</h3>
      <p>{summaryText(preview, i18n)}</p>
      {isCut && <p className={classes.text}>{i18n.t('rule.preview.cut')}</p>}
      {unknown.map((condition) => (
        <p key={condition} className={classes.text}>
          {i18n.t(unknownTexts[condition])}
        </p>
      ))}
      {items.length > 0 && (
        <>
          <DayChart days={preview.days} />
          <h3>{i18n.t('rule.preview.latest')}</h3>
          <ul className={classes.latest} aria-label={i18n.t('rule.preview.latest')}>
            {items.map(({ at, event }) => (
              <li key={event.id}>
                <span>{i18n.dateTime(at)}</span>
                <span>{kindText(event.kind, i18n)}</span>
                {event.stream !== null && (
                  <Link to="/stream/$uid/view" params={{ uid: event.stream }} search={{ t: event.startTime }}>
                    {event.streamName ?? event.stream}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function summaryText({ total, events, busiest }: RulePreview, i18n: I18n): string {
  const sum = total === 0 ? i18n.t('rule.preview.none') : i18n.t('rule.preview.total', { count: total });
  const parts = [sum, i18n.t('rule.preview.events', { events: i18n.number(events) })];
  if (busiest !== null && total > 1) {
    const day = dayText(busiest.weekday, i18n, 'long');
    const when = i18n.t(partText[busiest.part], { day });
    parts.push(i18n.t('rule.preview.busiest', { when, times: i18n.number(busiest.count) }));
  }
  return parts.join(' ');
}

const columnPx = 56;

function DayChart({ days }: { days: RulePreview['days'] }) {
  const i18n = useI18n();
  const most = Math.max(1, ...days.map(({ count }) => count));
  return (
    <ul className={classes.chart}>
      {days.map(({ date, count }) => (
        <li key={date} className={classes.day}>
          <span>{i18n.number(count)}</span>
          <span className={classes.column} style={{ height: (count / most) * columnPx }} aria-hidden="true" />
          <span className={classes.dayName}>{dayOfDate(date, i18n)}</span>
        </li>
      ))}
    </ul>
  );
}

function dayOfDate(date: string, i18n: I18n): string {
  const day = new Date(`${date}T12:00:00Z`).getUTCDay();
  return dayText(day === 0 ? 7 : day, i18n);
}
