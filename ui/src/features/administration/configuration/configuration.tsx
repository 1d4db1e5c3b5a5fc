import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { useMemo, useState } from 'react';
import { configurationQuery, useSaveConfiguration } from '../administration-api.ts';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormSection } from '../../../components/form.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Notice } from '../../../components/notice.tsx';
import { SearchField } from '../../../components/search-field.tsx';
import { SaveActions } from '../../../components/save-actions.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import {
  aboutKey,
  changesOf,
  fieldsOf,
  groupName,
  maskedSecret,
  nameOf,
  sectionsOf,
  textsOf,
  type ConfigField,
  type ConfigSchema,
  type ConfigTexts,
} from './config-fields.ts';
import { ConfigChanges } from './config-changes.tsx';
import { ConfigGroups, groupId } from './config-groups.tsx';
import { ConfigInput } from './config-input.tsx';
import classes from './configuration.module.css';

/** The configuration as a form generated from its schema [R2.14, R7.46]. */
export function ConfigurationScreen() {
  const query = useQuery(configurationQuery);
  // Outside the form: saving recreates the form, and an unmounted one would not report the success.
  const save = useSaveConfiguration();
  return (
    <Loaded query={query} skeletonPx={400}>
      {(configuration) => (
        <ConfigurationForm key={query.dataUpdatedAt} configuration={configuration} save={save} />
      )}
    </Loaded>
  );
}

interface ConfigurationFormProps {
  readonly configuration: ReplyOf<'getConfiguration'>;
  readonly save: ReturnType<typeof useSaveConfiguration>;
}

function ConfigurationForm({ configuration, save }: ConfigurationFormProps) {
  const i18n = useI18n();
  const { fields, before, texts, setTexts, changes } = useConfigDraft(configuration);
  const isDirty = Object.keys(changes).length > 0;
  const errors = fieldErrorsOf(save.error, i18n, {});
  const errorOf = (key: string) => errors[`values.${key}`] ?? errors[key];
  const isAboutFields = fields.some(({ key }) => errorOf(key) !== undefined);
  const filter = useConfigFilter();
  const shown = fields.filter(
    (field) => filter.isFound(field, texts, before) || errorOf(field.key) !== undefined,
  );
  const sections = sectionsOf(shown);
  const restart = new Set(configuration.restartKeys);
  const fixed = new Set(configuration.environmentKeys);
  const submit = () =>
    save.mutate(changes, {
      onError: focusFirstError,
      onSuccess: () => notifySuccess(i18n.t('config.saved')),
    });
  return (
    <div className={classes.screen}>
      {configuration.pendingRestart && <PendingRestart />}
      {filter.controls}
      <div className={classes.columns}>
        <ConfigGroups sections={sections.map(([name]) => name)} />
        <Form onSubmit={submit} failure={save.error && !isAboutFields ? textOf(save.error, i18n) : null}>
          {sections.length === 0 && <p>{i18n.t('config.nothing')}</p>}
          {sections.map(([name, own]) => (
            <div key={name} id={groupId(name)} tabIndex={-1} className={classes.group}>
              <FormSection title={groupName(name, i18n)}>
                {own.map((field) => (
                  <ConfigInput
                    key={field.key}
                    field={field}
                    text={texts[field.key] ?? ''}
                    isSecret={before[field.key] === maskedSecret}
                    isFixed={fixed.has(field.key)}
                    needsRestart={restart.has(field.key)}
                    error={errorOf(field.key)}
                    onChange={(text) => setTexts({ ...texts, [field.key]: text })}
                  />
                ))}
              </FormSection>
            </div>
          ))}
          {isDirty && (
            <ConfigChanges
              changed={fields.filter(({ key }) => texts[key] !== before[key])}
              before={before}
              texts={texts}
              restart={restart}
            />
          )}
          <SaveActions isDirty={isDirty} isSaving={save.isPending} onDiscard={() => setTexts(before)} />
        </Form>
      </div>
    </div>
  );
}

function PendingRestart() {
  const i18n = useI18n();
  return (
    <div className={classes.notice}>
      <Notice>{i18n.t('config.pending')}</Notice>
    </div>
  );
}

/** Search by words, and the switch that leaves only keys with a value of their own. */
function useConfigFilter() {
  const i18n = useI18n();
  const [search, setSearch] = useState('');
  const [isOnlyChanged, setOnlyChanged] = useState(false);
  const words = search.trim().toLowerCase();
  const isFound = ({ key, defaultText }: ConfigField, texts: ConfigTexts, before: ConfigTexts) =>
    `${key} ${nameOf(key, i18n)} ${i18n.t(aboutKey(key))}`.toLowerCase().includes(words) &&
    (!isOnlyChanged || texts[key] !== defaultText || texts[key] !== before[key]);
  const controls = (
    <div className={classes.search}>
      <SearchField label={i18n.t('config.search')} value={search} onChange={setSearch} />
      <Switch
        label={i18n.t('config.onlyChanged')}
        checked={isOnlyChanged}
        onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
      />
    </div>
  );
  return { isFound, controls };
}

/** The fields of the configuration with their saved and edited texts; `changes` are the values to save. */
function useConfigDraft(configuration: ReplyOf<'getConfiguration'>) {
  const { fields, before } = useMemo(() => {
    const all = fieldsOf(configuration.schema as ConfigSchema);
    return { fields: all, before: textsOf(all, configuration.values) };
  }, [configuration]);
  const [texts, setTexts] = useState(before);
  return { fields, before, texts, setTexts, changes: changesOf(fields, texts, before) };
}
