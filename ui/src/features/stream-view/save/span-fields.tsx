import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Zone } from '../../../timeline/zone.ts';
import { localText, parseLocal } from '../../../timeline/local-time.ts';
import classes from './save.module.css';
import type { SaveSpan, SpanProblem } from './span.ts';

interface SpanFieldsProps {
  readonly span: SaveSpan;
  readonly zone: Zone;
  readonly problem: SpanProblem | undefined;
  readonly longestMs: number;
  readonly onSpan: (span: SaveSpan) => void;
}

/** Both ends of a range in the zone's local time; they follow the selection on the timeline. */
export function SpanFields({ span, zone, problem, longestMs, onSpan }: SpanFieldsProps) {
  const i18n = useI18n();
  const endProblem =
    problem === 'order'
      ? i18n.t('save.order')
      : problem === 'tooLong'
        ? i18n.t('save.tooLong', { duration: i18n.duration(longestMs) })
        : undefined;
  return (
    <div className={classes.fields}>
      <MomentField
        label={i18n.t('save.from')}
        ms={span.startMs}
        zone={zone}
        error={problem === 'future' ? i18n.t('save.future') : undefined}
        onMs={(startMs) => onSpan({ ...span, startMs })}
      />
      <MomentField
        label={i18n.t('save.to')}
        ms={span.endMs}
        zone={zone}
        error={endProblem}
        onMs={(endMs) => onSpan({ ...span, endMs })}
      />
    </div>
  );
}

interface MomentFieldProps {
  readonly label: string;
  readonly ms: number;
  readonly zone: Zone;
  readonly error: string | undefined;
  readonly onMs: (ms: number) => void;
}

function MomentField({ label, ms, zone, error, onMs }: MomentFieldProps) {
  // The field keeps an incomplete date until it is complete, or the field loses the focus.
  const [isPart, setPart] = useState(false);
  const onChange = (text: string) => {
    const typedMs = parseLocal(text, zone);
    setPart(typedMs === undefined);
    if (typedMs !== undefined) onMs(typedMs);
  };
  return (
    <TextInput
      type="datetime-local"
      step={1}
      size="sm"
      label={label}
      value={isPart ? '' : localText(ms, zone)}
      error={error}
      onBlur={() => setPart(false)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
