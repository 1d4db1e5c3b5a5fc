import { Autocomplete, Button, TextInput } from '@mantine/core';
import { limits } from '@vidette/contract/constants';
import { useState, type ChangeEvent, type FormEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { localText, parseLocal } from '../../timeline/local-time.ts';
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
  const { inputProps, action, setAction, submit } = useFilterForm(search, onChange);
  return (
    <form noValidate onSubmit={submit} className={classes.filters}>
      <TextInput
        size="sm"
        label={i18n.t('audit.user')}
        maxLength={limits.loginMaxLength}
        autoComplete="off"
        {...inputProps('user')}
      />
      <Autocomplete
        size="sm"
        label={i18n.t('audit.action')}
        maxLength={limits.tagMaxLength}
        data={[...auditActions]}
        renderOption={({ option }) => actionText(option.value, i18n)}
        limit={30}
        value={action}
        onChange={setAction}
      />
      <TextInput
        size="sm"
        label={i18n.t('audit.target')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        {...inputProps('target')}
      />
      <TextInput size="sm" type="datetime-local" label={i18n.t('audit.from')} {...inputProps('from')} />
      <TextInput size="sm" type="datetime-local" label={i18n.t('audit.to')} {...inputProps('to')} />
      <div className={classes.actions}>
        <Button type="submit" size="sm">
          {i18n.t('audit.show')}
        </Button>
        {Object.keys(search).length > 0 && (
          <Button size="sm" variant="default" onClick={() => onChange({})}>
            {i18n.t('audit.clear')}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The filters as they are typed; `submit` applies them all. */
function useFilterForm(search: AuditSearch, onChange: (search: AuditSearch) => void) {
  const i18n = useI18n();
  const zone = new Zone(i18n.timeZone);
  const textOf = (ms: number | undefined) => (ms === undefined ? '' : localText(ms, zone));
  const [values, setValues] = useState({
    user: search.user ?? '',
    action: search.action ?? '',
    target: search.target ?? '',
    from: textOf(search.from),
    to: textOf(search.to),
  });
  const set = (changes: Partial<typeof values>) => setValues({ ...values, ...changes });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(
      auditSearch({ ...values, from: parseLocal(values.from, zone), to: parseLocal(values.to, zone) }),
    );
  };
  const inputProps = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.value }),
  });
  return { inputProps, action: values.action, setAction: (action: string) => set({ action }), submit };
}
