import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import { archivedStreamsQuery } from '../../exports/exports-api.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';

interface OthersFieldProps {
  readonly uid: string;
  readonly value: string[];
  readonly onChange: (uids: string[]) => void;
}

/** Streams other than the one on screen whose archive the user may watch. */
export function OthersField({ uid, value, onChange }: OthersFieldProps) {
  const i18n = useI18n();
  const { data } = useQuery(archivedStreamsQuery);
  const choices = (data ?? [])
    .filter((stream) => stream.uid !== uid)
    .map((stream) => ({ value: stream.uid, label: stream.name }));
  if (choices.length === 0) return null;
  return (
    <MultiSelect
      withScrollArea={false}
      size="sm"
      label={i18n.t('save.others')}
      placeholder={value.length === 0 ? i18n.t('save.others.none') : ''}
      data={choices}
      value={value}
      maxValues={limits.exportStreamsMax - 1}
      searchable
      clearable
      comboboxProps={{ withinPortal: false }}
      onChange={onChange}
    />
  );
}
