import { MultiSelect, NativeSelect, NumberInput, Switch, TagsInput, TextInput } from '@mantine/core';
import { holdLimits, limits, ruleExportLimits } from '@vidette/contract/constants';
import type { NotificationTarget, Rule } from '@vidette/contract/notifications';
import { useUser } from '../../api/session.ts';
import { FormSection } from '../../components/form.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useRuleChoices } from './notifications-api.ts';
import { kindText } from './rule-sentence.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import { isKind, kindsFor, minutesMax, type RulePartProps } from './rule-values.ts';
import classes from './notifications.module.css';

interface RuleFieldsProps extends RulePartProps {
  readonly isNew: boolean;
  readonly targets: readonly NotificationTarget[];
  /** On which this one may depend. */
  readonly others: readonly Rule[];
}

/** The fields of a rule. */
export function RuleFields({ isNew, targets, others, ...part }: RuleFieldsProps) {
  const i18n = useI18n();
  const { values, errors, onChange } = part;
  return (
    <>
      <FormSection title={i18n.t(isNew ? 'rule.new' : 'rule.edit')}>
        <TextInput
          size="sm"
          label={i18n.t('rule.name')}
          maxLength={limits.nameMaxLength}
          autoComplete="off"
          value={values.name}
          error={errors['name']}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      </FormSection>
      <FormSection title={i18n.t('rule.when')}>
        <EventFields {...part} />
        <ScheduleFields {...part} />
        <ConditionFields {...part} />
        <CircumstanceFields {...part} others={others} />
      </FormSection>
      <FormSection title={i18n.t('rule.do')}>
        <MultiSelect
          withScrollArea={false}
          size="sm"
          label={i18n.t('rule.targets')}
          data={targets.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={values.targets.map(String)}
          maxValues={limits.ruleTargetsMax}
          error={errors['targets']}
          onChange={(ids) => onChange({ targets: ids.map(Number) })}
        />
        <Switch
          label={i18n.t('rule.bookmarks')}
          checked={values.bookmarks}
          onChange={(event) => onChange({ bookmarks: event.currentTarget.checked })}
        />
        <ExportFields {...part} />
        <HoldFields {...part} />
      </FormSection>
      <LimitFields {...part} />
    </>
  );
}

function ExportFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  return (
    <>
      <Switch
        label={i18n.t('rule.exports')}
        description={i18n.t('rule.exports.help', { count: ruleExportLimits.perHourMax })}
        checked={values.isExported}
        onChange={(event) => onChange({ isExported: event.currentTarget.checked })}
      />
      {values.isExported && (
        <div className={classes.pair}>
          <Count
            label={i18n.t('rule.exports.lead')}
            value={values.leadSeconds}
            max={ruleExportLimits.extraSecondsMax}
            error={errors['exports.leadSeconds']}
            onChange={(leadSeconds) => onChange({ leadSeconds })}
          />
          <Count
            label={i18n.t('rule.exports.trail')}
            value={values.trailSeconds}
            max={ruleExportLimits.extraSecondsMax}
            error={errors['exports.trailSeconds']}
            onChange={(trailSeconds) => onChange({ trailSeconds })}
          />
        </div>
      )}
    </>
  );
}

function HoldFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  return (
    <>
      <Switch
        label={i18n.t('rule.hold')}
        description={i18n.t('rule.hold.help', { count: holdLimits.perStreamMax })}
        checked={values.isHeld}
        onChange={(event) => onChange({ isHeld: event.currentTarget.checked })}
      />
      {values.isHeld && (
        <>
          <div className={classes.pair}>
            <Count
              label={i18n.t('rule.hold.lead')}
              value={values.holdLeadSeconds}
              max={holdLimits.extraSecondsMax}
              error={errors['hold.leadSeconds']}
              onChange={(holdLeadSeconds) => onChange({ holdLeadSeconds })}
            />
            <Count
              label={i18n.t('rule.hold.trail')}
              value={values.holdTrailSeconds}
              max={holdLimits.extraSecondsMax}
              error={errors['hold.trailSeconds']}
              onChange={(holdTrailSeconds) => onChange({ holdTrailSeconds })}
            />
          </div>
          <Count
            label={i18n.t('rule.hold.days')}
            value={values.holdDays}
            min={1}
            max={holdLimits.daysMax}
            error={errors['hold.days']}
            onChange={(holdDays) => onChange({ holdDays })}
          />
        </>
      )}
    </>
  );
}

function LimitFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  return (
    <FormSection title={i18n.t('rule.limits')}>
      <div className={classes.pair}>
        <Count
          label={i18n.t('rule.cooldown')}
          value={values.cooldownMinutes}
          max={minutesMax}
          isDecimal
          error={errors['cooldownSeconds']}
          onChange={(cooldownMinutes) => onChange({ cooldownMinutes })}
        />
        <Count
          label={i18n.t('rule.perHour')}
          value={values.perHourMax}
          min={1}
          max={limits.rulePerHourMax}
          error={errors['perHourMax']}
          onChange={(perHourMax) => onChange({ perHourMax })}
        />
      </div>
    </FormSection>
  );
}

function EventFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  const user = useUser();
  const { streams, tags } = useRuleChoices();
  const known = new Set(streams.map(({ uid }) => uid));
  const choices = [
    ...streams.map(({ uid, name }) => ({ value: uid, label: name })),
    // A rule keeps the streams that the list is too short for.
    ...values.streams.filter((uid) => !known.has(uid)).map((uid) => ({ value: uid, label: uid })),
  ];
  return (
    <>
      <MultiSelect
        withScrollArea={false}
        size="sm"
        label={i18n.t('rule.kinds')}
        data={kindsFor(user?.isAdmin ?? false).map((kind) => ({ value: kind, label: kindText(kind, i18n) }))}
        value={values.kinds}
        error={errors['kinds']}
        onChange={(kinds) => onChange({ kinds: kinds.filter(isKind) })}
      />
      <MultiSelect
        withScrollArea={false}
        size="sm"
        label={i18n.t('rule.streams')}
        description={i18n.t('rule.streams.help')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        data={choices}
        value={values.streams}
        maxValues={limits.ruleStreamsMax}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': i18n.t('action.delete') }}
        error={errors['streams']}
        onChange={(uids) => onChange({ streams: uids })}
      />
      <TagsInput
        withScrollArea={false}
        size="sm"
        label={i18n.t('rule.tags')}
        maxTags={limits.tagsMax}
        data={tags}
        value={values.tags}
        error={errors['tags']}
        onChange={(chosen) => onChange({ tags: chosen })}
      />
    </>
  );
}

function ConditionFields({ values, errors, onChange }: RulePartProps) {
  const i18n = useI18n();
  return (
    <>
      <Count
        label={i18n.t('rule.minSeconds')}
        help={i18n.t('rule.minSeconds.help')}
        value={values.minSeconds}
        max={limits.ruleSecondsMax}
        error={errors['minSeconds']}
        onChange={(minSeconds) => onChange({ minSeconds })}
      />
      <Switch
        label={i18n.t('rule.counted')}
        checked={values.isCounted}
        onChange={(event) => onChange({ isCounted: event.currentTarget.checked })}
      />
      {values.isCounted && (
        <div className={classes.pair}>
          <Count
            label={i18n.t('rule.events')}
            value={values.events}
            min={2}
            max={limits.ruleEventsMax}
            error={errors['count.events']}
            onChange={(events) => onChange({ events })}
          />
          <Count
            label={i18n.t('rule.within')}
            value={values.withinMinutes}
            min={1}
            max={minutesMax}
            isDecimal
            error={errors['count.withinSeconds']}
            onChange={(withinMinutes) => onChange({ withinMinutes })}
          />
        </div>
      )}
    </>
  );
}

/** Conditions that don't concern the events themselves. */
function CircumstanceFields({
  values,
  errors,
  others,
  onChange,
}: RulePartProps & Pick<RuleFieldsProps, 'others'>) {
  const i18n = useI18n();
  const { otherRule } = values;
  const isDeleted = otherRule !== null && !others.some(({ id }) => id === otherRule);
  return (
    <>
      <Switch
        label={i18n.t('rule.unattended')}
        description={i18n.t('rule.unattended.help', { minutes: limits.presenceMinutes })}
        checked={values.unattended}
        onChange={(event) => onChange({ unattended: event.currentTarget.checked })}
      />
      {(others.length > 0 || isDeleted) && (
        <NativeSelect
          size="sm"
          label={i18n.t('rule.other')}
          data={[
            { value: '', label: i18n.t('rule.other.none') },
            ...others.map(({ id, name }) => ({ value: String(id), label: name })),
            ...(isDeleted ? [{ value: String(otherRule), label: i18n.t('rule.other.deleted') }] : []),
          ]}
          value={String(otherRule ?? '')}
          error={errors['otherRule.id']}
          onChange={({ currentTarget }) =>
            onChange({ otherRule: currentTarget.value === '' ? null : Number(currentTarget.value) })
          }
        />
      )}
      {otherRule !== null && (
        <div className={classes.pair}>
          <NativeSelect
            size="sm"
            label={i18n.t('rule.other.state')}
            data={[
              { value: 'yes', label: i18n.t('rule.other.acted') },
              { value: 'no', label: i18n.t('rule.other.not') },
            ]}
            value={values.otherHasActed ? 'yes' : 'no'}
            onChange={({ currentTarget }) => onChange({ otherHasActed: currentTarget.value === 'yes' })}
          />
          <Count
            label={i18n.t('rule.within')}
            value={values.otherMinutes}
            min={1}
            max={minutesMax}
            isDecimal
            error={errors['otherRule.withinSeconds']}
            onChange={(otherMinutes) => onChange({ otherMinutes })}
          />
        </div>
      )}
    </>
  );
}

interface CountProps {
  readonly label: string;
  readonly help?: string;
  readonly value: number;
  readonly min?: number;
  readonly max: number;
  readonly isDecimal?: boolean;
  readonly error: string | undefined;
  readonly onChange: (value: number) => void;
}

/** A number within limits; an empty field is its lowest value. */
function Count({ label, help, value, min = 0, max, isDecimal = false, error, onChange }: CountProps) {
  return (
    <NumberInput
      size="sm"
      label={label}
      description={help}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={value}
      min={min}
      max={max}
      allowDecimal={isDecimal}
      allowNegative={false}
      clampBehavior="blur"
      error={error}
      onChange={(entered) => onChange(Number(entered) || min)}
    />
  );
}
