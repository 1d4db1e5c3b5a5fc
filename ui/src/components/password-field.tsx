import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';

/**
 * A field for a password, which can be shown. The library's own marks only its frame as wrong: here the field itself
 * says so, to screen readers and to what puts the cursor into the first wrong field.
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
