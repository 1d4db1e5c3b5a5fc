import { NativeSelect, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { ReactNode } from 'react';
import { useSettings } from '../../../api/session.ts';
import { streamTagsQuery } from '../streams-api.ts';
import { FormSection } from '../../../components/form.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { depthChoices, farAfterChoices } from './depths.ts';
import type { StreamValues } from './stream-values.ts';

/** A form with the fields of a stream. */
type StreamForm = UseFormReturnType<StreamValues>;

interface StreamFieldsProps {
  readonly form: StreamForm;
  /** Below the address: its probe. */
  readonly probe: ReactNode;
  /** The default name of the stream; shown in the empty field. */
  readonly suggestedName?: string;
}

/** The fields of a stream, the same for adding and changing one. */
export function StreamFields(props: StreamFieldsProps) {
  return (
    <>
      <IdentityFields {...props} />
      <RecordingFields form={props.form} />
    </>
  );
}

function IdentityFields({ form, probe, suggestedName }: StreamFieldsProps) {
  const i18n = useI18n();
  const tags = useQuery(streamTagsQuery);
  return (
    <FormSection title={i18n.t('stream.identity')}>
      <TextInput
        size="sm"
        label={i18n.t('stream.source')}
        description={i18n.t('stream.source.help')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        maxLength={limits.sourceMaxLength}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('streamSource')}
      />
      {probe}
      <TextInput
        size="sm"
        label={i18n.t('stream.name')}
        placeholder={suggestedName || i18n.t('stream.name.placeholder')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <TagsInput
        withScrollArea={false}
        size="sm"
        label={i18n.t('stream.tags')}
        description={i18n.t('stream.tags.help')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        data={tags.data?.items.map(({ name }) => name) ?? []}
        maxTags={limits.tagsMax}
        {...form.getInputProps('tags')}
      />
      <TextInput
        size="sm"
        label={i18n.t('stream.location')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        {...form.getInputProps('location.name')}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('stream.zone')}
        description={i18n.t('stream.zone.help')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        data={[
          { value: '', label: i18n.t('stream.zone.none') },
          ...zonesWith(form.getValues().location.timeZone),
        ]}
        {...form.getInputProps('location.timeZone')}
      />
    </FormSection>
  );
}

function RecordingFields({ form }: { form: StreamForm }) {
  const i18n = useI18n();
  const settings = useSettings();
  const { archive, live, motion } = form.values;
  return (
    <FormSection title={i18n.t('stream.recording')}>
      <Switch
        label={i18n.t('stream.archive')}
        checked={archive.isEnable && !live.onDemand}
        disabled={live.onDemand}
        onChange={(event) => form.setFieldValue('archive.isEnable', event.currentTarget.checked)}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('stream.depth')}
        disabled={!archive.isEnable || live.onDemand}
        data={depthChoices(Number(archive.depthHours), settings.archiveMaxDepthHours, i18n)}
        {...form.getInputProps('archive.depthHours')}
      />
      {settings.farArchive && (
        <NativeSelect
          size="sm"
          label={i18n.t('stream.farAfter')}
          description={i18n.t('stream.farAfter.help')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          disabled={!archive.isEnable || live.onDemand}
          data={farAfterChoices(Number(archive.farAfterHours), i18n)}
          {...form.getInputProps('archive.farAfterHours')}
        />
      )}
      <Switch
        label={i18n.t('stream.motion')}
        description={i18n.t('stream.motion.help')}
        checked={motion.isEnable}
        onChange={(event) => form.setFieldValue('motion.isEnable', event.currentTarget.checked)}
      />
      <Switch
        label={i18n.t('stream.onDemand')}
        description={i18n.t('stream.onDemand.help')}
        checked={live.onDemand}
        onChange={(event) => form.setFieldValue('live.onDemand', event.currentTarget.checked)}
      />
    </FormSection>
  );
}

/** All zones that this browser knows, and the current one even if this browser doesn't know it. */
function zonesWith(chosen: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  return chosen === '' || zones.includes(chosen) ? zones : [chosen, ...zones];
}
