import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '@vidette/contract/constants';
import { useI18n } from '../../i18n/i18n-context.tsx';

interface NameAndEmailProps {
  readonly form: Pick<UseFormReturnType<{ fullName: string; email: string }>, 'getInputProps'>;
  /** Another system manages the user: neither can be changed here. */
  readonly isManaged: boolean;
  /** Whether the browser may autofill the fields with data of its user. */
  readonly isOwn: boolean;
}

/** The fields of a user that users change for themselves, and administrators for others. */
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
