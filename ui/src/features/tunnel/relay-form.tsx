import { Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { TunnelLocation } from '@vidette/contract/tunnel';
import { useState } from 'react';
import { useSaveConfiguration } from '../administration/administration-api.ts';
import { fieldErrorsOf, focusFirstError } from '../../api/field-errors.ts';
import { tunnelQuery } from './tunnel-api.ts';
import { textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Form, FormSection } from '../../components/form.tsx';
import { SaveActions } from '../../components/save-actions.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import { locationsWith, valuesOf, type RelayValues } from './relay-values.ts';
import classes from './tunnel.module.css';

interface RelayFormProps {
  readonly location: TunnelLocation;
  readonly locations: readonly TunnelLocation[];
}

/** A single-line text field. */
interface Line {
  readonly name: Exclude<keyof RelayValues, 'trustProxy'>;
  readonly label: MessageKey;
  readonly help?: MessageKey;
  readonly isNumber?: boolean;
}

/** Two fields in a row on a wide screen where they belong together. */
const rows: readonly (readonly Line[])[] = [
  [
    { name: 'host', label: 'tunnel.host', help: 'tunnel.host.help' },
    { name: 'port', label: 'tunnel.port', isNumber: true },
  ],
  [{ name: 'user', label: 'tunnel.user', help: 'tunnel.user.help' }],
  [{ name: 'hostKey', label: 'tunnel.hostKey', help: 'tunnel.hostKey.help' }],
  [
    { name: 'bindHost', label: 'tunnel.bindHost', help: 'tunnel.bindHost.help' },
    { name: 'bindPort', label: 'tunnel.bindPort', isNumber: true },
  ],
  [{ name: 'publicUrl', label: 'tunnel.publicUrl', help: 'tunnel.publicUrl.help' }],
  [{ name: 'name', label: 'tunnel.name' }],
];

/** The relay's address and listening ports, saved into the configuration. */
export function RelayForm({ location, locations }: RelayFormProps) {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const save = useSaveConfiguration();
  const before = valuesOf(location);
  // The user's input; without it the fields follow the server, which may have learned the host key meanwhile.
  const [draft, setDraft] = useState<RelayValues | null>(null);
  const values = draft ?? before;
  const isDirty = JSON.stringify(values) !== JSON.stringify(before);
  const path = `values.tunnel.locations.${locations.indexOf(location)}`;
  const errors = fieldErrorsOf(save.error, i18n, {});
  const isAboutField = Object.keys(errors).some((field) => field.startsWith(`${path}.`));
  const submit = () =>
    save.mutate(
      { tunnel: { locations: locationsWith(locations, location.code, values) } },
      {
        onError: focusFirstError,
        onSuccess: () => {
          notifySuccess(i18n.t('tunnel.saved'));
          void queryClient.invalidateQueries({ queryKey: tunnelQuery.queryKey }).then(() => setDraft(null));
        },
      },
    );
  return (
    <FormSection title={i18n.t('tunnel.relay')} text={i18n.t('tunnel.relay.text')}>
      <Form onSubmit={submit} failure={save.error && !isAboutField ? textOf(save.error, i18n) : null}>
        {rows.map((row) => (
          <div key={row[0]?.name} className={classes.row} data-pair={row.length > 1}>
            {row.map(({ name, label, help, isNumber }) => (
              <TextInput
                key={name}
                size="sm"
                label={i18n.t(label)}
                description={help && i18n.t(help)}
                inputWrapperOrder={['label', 'input', 'error', 'description']}
                inputMode={isNumber ? 'numeric' : 'text'}
                autoComplete="off"
                spellCheck={false}
                value={values[name]}
                error={errors[`${path}.${name}`]}
                onChange={(event) => setDraft({ ...values, [name]: event.currentTarget.value })}
              />
            ))}
          </div>
        ))}
        <Switch
          label={i18n.t('tunnel.trustProxy')}
          description={i18n.t('tunnel.trustProxy.help')}
          checked={values.trustProxy}
          onChange={(event) => setDraft({ ...values, trustProxy: event.currentTarget.checked })}
        />
        <SaveActions isDirty={isDirty} isSaving={save.isPending} onDiscard={() => setDraft(null)} />
      </Form>
    </FormSection>
  );
}
