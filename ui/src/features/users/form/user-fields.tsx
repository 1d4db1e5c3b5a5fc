import { NativeSelect, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { languages, limits } from '@vidette/contract/constants';
import { useEffect, useRef } from 'react';
import { NameAndEmail } from '../../account/name-and-email.tsx';
import { FormSection } from '../../../components/form.tsx';
import { PasswordField } from '../../../components/password-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import { formRole, withRole, type FormRole, type QuotaKind, type UserValues } from './user-values.ts';

const languageText: Record<(typeof languages)[number], MessageKey> = { en: 'language.en', ru: 'language.ru' };

const roleText: Record<FormRole, MessageKey> = {
  readOnly: 'profile.role.readOnly',
  user: 'profile.role.user',
  admin: 'profile.role.admin',
};

const quotaText: Record<Exclude<QuotaKind, 'none'>, MessageKey> = {
  unlimited: 'profile.info.noLimit',
  count: 'user.quota.count',
};

interface UserFieldsProps {
  readonly form: UseFormReturnType<UserValues>;
  /** Name, e-mail and password are managed by another system. */
  readonly isManaged?: boolean;
  /** Whether it is the administrator's own account, whose role can't be changed. */
  readonly isSelf?: boolean;
  readonly isNew?: boolean;
}

/** The fields of a user, the same for adding and changing one. */
export function UserFields({ form, isManaged = false, isSelf = false, isNew = false }: UserFieldsProps) {
  return (
    <>
      <PersonFields form={form} isManaged={isManaged} isNew={isNew} />
      <RightsFields form={form} isSelf={isSelf} />
      {!isManaged && <PasswordFields form={form} isNew={isNew} />}
    </>
  );
}

type PartProps<Name extends keyof UserFieldsProps> = Required<Pick<UserFieldsProps, 'form' | Name>>;

function PersonFields({ form, isManaged, isNew }: PartProps<'isManaged' | 'isNew'>) {
  const i18n = useI18n();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  return (
    <FormSection title={i18n.t('profile.person')}>
      <TextInput
        ref={first}
        size="sm"
        label={i18n.t('account.newLogin')}
        maxLength={limits.loginMaxLength}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        disabled={isManaged}
        {...form.getInputProps('name')}
      />
      <NameAndEmail form={form} isManaged={isManaged} isOwn={false} />
      <NativeSelect
        size="sm"
        label={i18n.t('account.language')}
        data={languages.map((value) => ({ value, label: i18n.t(languageText[value]) }))}
        {...form.getInputProps('language')}
      />
    </FormSection>
  );
}

function RightsFields({ form, isSelf }: PartProps<'isSelf'>) {
  const i18n = useI18n();
  const role = formRole(form.values);
  return (
    <FormSection title={i18n.t('user.rights')}>
      <NativeSelect
        size="sm"
        label={i18n.t('profile.info.role')}
        description={i18n.t('user.role.help')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        disabled={isSelf}
        data={Object.entries(roleText).map(([value, key]) => ({ value, label: i18n.t(key) }))}
        {...form.getInputProps('role')}
        value={role}
        onChange={({ currentTarget: { value } }) => form.setValues(withRole(form.values, value))}
      />
      {role === 'user' && (
        <NativeSelect
          size="sm"
          label={i18n.t('user.quota')}
          data={Object.entries(quotaText).map(([value, key]) => ({ value, label: i18n.t(key) }))}
          {...form.getInputProps('quotaKind')}
        />
      )}
      {role === 'user' && form.values.quotaKind === 'count' && (
        <TextInput
          size="sm"
          label={i18n.t('user.quota.most')}
          inputMode="numeric"
          maxLength={6}
          autoComplete="off"
          {...form.getInputProps('maxStreamCreation')}
        />
      )}
      {role !== 'admin' && (
        <Switch
          label={i18n.t('user.convert')}
          description={i18n.t('user.convert.help')}
          {...form.getInputProps('canConvert', { type: 'checkbox' })}
        />
      )}
    </FormSection>
  );
}

function PasswordFields({ form, isNew }: PartProps<'isNew'>) {
  const i18n = useI18n();
  return (
    <FormSection
      title={i18n.t('account.password')}
      {...(isNew ? {} : { text: i18n.t('user.password.help') })}
    >
      <PasswordField
        size="sm"
        label={i18n.t(isNew ? 'account.password' : 'account.newPassword')}
        description={i18n.t('account.password.rules')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <Switch
        label={i18n.t('user.mustChange')}
        {...form.getInputProps('mustChangePassword', { type: 'checkbox' })}
      />
    </FormSection>
  );
}
