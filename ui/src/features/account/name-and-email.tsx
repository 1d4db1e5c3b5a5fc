import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '@vidette/contract/constants';
import { useI18n } from '../../i18n/i18n-context.tsx';

interface NameAndEmailProps {
  readonly form: Pick<UseFormReturnType<{ fullName: string; email: string }>, 'getInputProps'>;
  /** Another system manages the person: neither can be changed here. */
  readonly isManaged: boolean;
  /** Whether the browser may fill in what it knows of its user. */
  readonly isOwn: boolean;
}

/** The fields of a person that users change of themselves, and administrators of others. */
export function NameAndEmail({ form, isManaged, isOwn }: NameAndEmailProps) {
  const i18n = useI18n();
  return (
    <>
      <TextInput
        size="sm"
        label={i18n.t('account.fullName')}
        maxLength={limits.nameMaxLength}
        autoComplete={isOwn ? 'name' : 'off'}
        disabled={isManaged}
        {...form.getInputProps('fullName')}
      />
      <TextInput
        size="sm"
        type="email"
        label={i18n.t('account.email')}
        maxLength={limits.emailMaxLength}
        autoComplete={isOwn ? 'email' : 'off'}
        disabled={isManaged}
        {...form.getInputProps('email')}
      />
    </>
  );
}
