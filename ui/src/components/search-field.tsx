import { CloseButton, TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useI18n } from '../i18n/i18n-context.tsx';

interface SearchFieldProps {
  /** What the field searches; shown while it is empty, and its accessible name. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly className?: string | undefined;
}

/** A search field with a clear button. */
export function SearchField({ label, value, onChange, className }: SearchFieldProps) {
  const i18n = useI18n();
  return (
    <TextInput
      className={className}
      size="sm"
      type="search"
      placeholder={label}
      aria-label={label}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        value !== '' && (
          <CloseButton size="sm" aria-label={i18n.t('streams.search.clear')} onClick={() => onChange('')} />
        )
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
