import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Zone } from '../../../timeline/zone.ts';
import { MomentField, type MomentEntry } from '../../../timeline/react/moment-field.tsx';
import classes from './save.module.css';
import type { SaveSpan, SpanProblem } from './span.ts';

interface SpanFieldsProps {
  readonly span: SaveSpan;
  readonly zone: Zone;
  readonly problem: SpanProblem | undefined;
  readonly longestMs: number;
  /** `end` names the field; an entry that is no moment keeps the range from being saved. */
  readonly onEntry: (end: keyof SaveSpan, entry: MomentEntry) => void;
}

/** Both ends of a range in the zone's local time; they follow the selection on the timeline. */
export function SpanFields({ span, zone, problem, longestMs, onEntry }: SpanFieldsProps) {
  const i18n = useI18n();
  const endProblem =
    problem === 'order'
      ? i18n.t('save.order')
      : problem === 'tooLong'
        ? i18n.t('save.tooLong', { duration: i18n.duration(longestMs) })
        : undefined;
  return (
    <div className={classes.fields}>
      <div>
        <MomentField
          label={i18n.t('save.from')}
          ms={span.startMs}
          zone={zone}
          error={problem === 'future' ? i18n.t('save.future') : undefined}
          onEntry={(entry) => onEntry('startMs', entry)}
        />
      </div>
      <div>
        <MomentField
          label={i18n.t('save.to')}
          ms={span.endMs}
          zone={zone}
          error={endProblem}
          onEntry={(entry) => onEntry('endMs', entry)}
        />
      </div>
    </div>
  );
}
