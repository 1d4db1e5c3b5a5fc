import { Button, Checkbox, NativeSelect, Switch, TextInput } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { limits } from '@vidette/contract/constants';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { dayText } from './rule-sentence.ts';
import { newSpan, type RulePartProps, type RuleValues } from './rule-values.ts';
import classes from './notifications.module.css';

type Span = RuleValues['spans'][number];

const days = [1, 2, 3, 4, 5, 6, 7];

/** When a rule applies: always, or in weekly spans of a time zone. */
export function ScheduleFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  const { spans, timeZone } = values;
  const zones = Intl.supportedValuesOf('timeZone');
  const change = (index: number, changes: Partial<Span>) =>
    onChange({ spans: spans.map((span, at) => (at === index ? { ...span, ...changes } : span)) });
  return (
    <>
      <Switch
        label={i18n.t('rule.scheduled')}
        checked={values.isScheduled}
        onChange={(event) => onChange({ isScheduled: event.currentTarget.checked })}
      />
      {values.isScheduled && (
        <>
          {spans.map((span, index) => (
            <SpanFields
              key={index}
              span={span}
              errors={errors}
              path={`schedule.spans.${index}`}
              onChange={(changes) => change(index, changes)}
              onRemove={
                spans.length > 1
                  ? () => onChange({ spans: spans.filter((_, at) => at !== index) })
                  : undefined
              }
            />
          ))}
          {spans.length < limits.ruleSpansMax && (
            <div>
              <Button size="sm" variant="default" onClick={() => onChange({ spans: [...spans, newSpan] })}>
                {i18n.t('rule.span.add')}
              </Button>
            </div>
          )}
          <NativeSelect
            size="sm"
            label={i18n.t('rule.zone')}
            data={zones.includes(timeZone) ? zones : [timeZone, ...zones]}
            value={timeZone}
            error={errors['schedule.timeZone']}
            onChange={(event) => onChange({ timeZone: event.currentTarget.value })}
          />
        </>
      )}
    </>
  );
}

interface SpanFieldsProps {
  readonly span: Span;
  readonly errors: Readonly<Record<string, string>>;
  readonly path: string;
  readonly onChange: (changes: Partial<Span>) => void;
  readonly onRemove: (() => void) | undefined;
}

function SpanFields({ span, errors, path, onChange, onRemove }: SpanFieldsProps) {
  const i18n = useI18n();
  const toggle = (day: number) =>
    onChange({
      days: span.days.includes(day)
        ? span.days.filter((one) => one !== day)
        : [...span.days, day].toSorted((a, b) => a - b),
    });
  return (
    <fieldset className={classes.span}>
      <legend>{i18n.t('rule.days')}</legend>
      <div className={classes.days}>
        {days.map((day) => (
          <Checkbox
            key={day}
            label={dayText(day, i18n)}
            checked={span.days.includes(day)}
            error={errors[`${path}.days`] !== undefined}
            onChange={() => toggle(day)}
          />
        ))}
      </div>
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          size="sm"
          className={classes.clock}
          label={i18n.t(end === 'from' ? 'rule.from' : 'rule.to')}
          maxLength={5}
          autoComplete="off"
          value={span[end]}
          error={errors[`${path}.${end}`]}
          onChange={(event) => onChange({ [end]: event.currentTarget.value })}
        />
      ))}
      {onRemove && <SignButton icon={IconTrash} label={i18n.t('rule.span.remove')} onClick={onRemove} />}
      <p className={classes.note}>{errors[`${path}.days`] ?? i18n.t('rule.to.help')}</p>
    </fieldset>
  );
}
