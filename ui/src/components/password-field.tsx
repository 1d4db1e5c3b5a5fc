import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';

/**
 * A password field with a button that reveals its text. The library marks only its wrapper as invalid: here the
 * input itself is marked, for screen readers and for the code that focuses the first invalid field.
 */
export function PasswordField(props: PasswordInputProps) {
  const i18n = useI18n();
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': i18n.t('account.showPassword') }}
      {...props}
      {...(props.error ? { 'aria-invalid': true } : {})}
    />
  );
}
