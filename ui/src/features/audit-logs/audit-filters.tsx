import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { limits } from '@vidette/contract/constants';
import { useMemo, useState, type ChangeEvent, type FormEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { Zone } from '../../timeline/zone.ts';
import { MomentField, type MomentEntry } from '../../timeline/react/moment-field.tsx';
import { actionText, auditActions } from './audit-actions.ts';
import { auditSearch, type AuditSearch } from './audit-search.ts';
import classes from './audit-logs.module.css';

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly onChange: (search: AuditSearch) => void;
}

/** Filters by user, action, object and time; applied together, by Enter or the button. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const i18n = useI18n();
  const { inputProps, momentProps, action, setAction, submit, submitWith } = useFilterForm(search, onChange);
  return (
    <form noValidate onSubmit={submit} className={classes.filters}>
      <TextInput
        size="sm"
        label={i18n.t('audit.user')}
        maxLength={limits.loginMaxLength}
        autoComplete="off"
        {...inputProps('user')}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('audit.action')}
        value={action}
        onChange={(event) => setAction(event.currentTarget.value)}
        data={[{ value: '', label: i18n.t('audit.action.any') }, ...actionChoices(action, i18n)]}
      />
      <TextInput
        size="sm"
        label={i18n.t('audit.target')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        {...inputProps('target')}
      />
      <div>
        <MomentField label={i18n.t('audit.from')} {...momentProps('from')} />
      </div>
      <div>
        <MomentField label={i18n.t('audit.to')} {...momentProps('to')} />
      </div>
      <div className={classes.actions}>
        <Button type="submit" size="sm">
          {i18n.t('audit.show')}
        </Button>
        {Object.keys(search).length > 0 && (
          <Button size="sm" variant="default" onClick={() => onChange({})}>
            {i18n.t('audit.clear')}
          </Button>
        )}
        <Switch
          className={classes.machines}
          label={i18n.t('audit.machines')}
          checked={search.machines === true}
          onChange={(event) => submitWith(event.currentTarget.checked)}
        />
      </div>
    </form>
  );
}

/** All actions by their texts; and the chosen one, which an address may have from a server of another version. */
function actionChoices(chosen: string, i18n: I18n) {
  const known: readonly string[] = auditActions;
  const actions = chosen === '' || known.includes(chosen) ? known : [chosen, ...known];
  return actions
    .map((value) => ({ value, label: actionText(value, i18n) }))
    .toSorted((one, other) => one.label.localeCompare(other.label, i18n.language));
}

/** The filters as they are typed; `submit` applies them all. */
function useFilterForm(search: AuditSearch, onChange: (search: AuditSearch) => void) {
  const i18n = useI18n();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const [values, setValues] = useState({
    user: search.user ?? '',
    action: search.action ?? '',
    target: search.target ?? '',
  });
  const [span, setSpan] = useState<Readonly<Record<'from' | 'to', MomentEntry>>>({
    from: search.from ?? 'empty',
    to: search.to ?? 'empty',
  });
  const set = (changes: Partial<typeof values>) => setValues({ ...values, ...changes });
  const submitWith = (machines: boolean) => {
    // The field says what is wrong with it.
    if (span.from === 'unreadable' || span.to === 'unreadable') return;
    onChange(auditSearch({ ...values, ...span, machines }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    submitWith(search.machines === true);
  };
  const inputProps = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.value }),
  });
  const momentProps = (name: keyof typeof span) => ({
    ms: momentOf(span[name]),
    zone,
    isOptional: true,
    onEntry: (entry: MomentEntry) => setSpan((shown) => ({ ...shown, [name]: entry })),
  });
  return {
    inputProps,
    momentProps,
    action: values.action,
    setAction: (action: string) => set({ action }),
    submit,
    submitWith,
  };
}

function momentOf(entry: MomentEntry): number | undefined {
  return typeof entry === 'number' ? entry : undefined;
}
