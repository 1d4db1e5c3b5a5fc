import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { languages } from '@vidette/contract/constants';
import { api } from '../../api/api.ts';
import { fieldErrorsOf, focusFirstError } from '../../api/field-errors.ts';
import { useSettings } from '../../api/session.ts';
import { useEnter } from './enter.ts';
import { textOf } from '../../page/failures.ts';
import { openFirstSteps } from '../../page/first-steps.ts';
import { usePage } from '../../page/page-context.tsx';
import { AccountFrame } from './account-frame.tsx';
import { Form, FormActions } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';

const languageNames: Record<(typeof languages)[number], MessageKey> = {
  en: 'language.en',
  ru: 'language.ru',
};

/**
 * The initial setup [R2.4]: creates the administrator, authorized by the code that only the server's operator
 * can read.
 */
export function InitScreen() {
  const settings = useSettings();
  return settings.isSetupAllowed ? <SetupForm /> : <SetupNotAllowed />;
}

function SetupForm() {
  const i18n = useI18n();
  const settings = useSettings();
  const { form, unlock, submit } = useSetup();
  const isAboutFields = Object.keys(form.errors).length > 0;
  return (
    <AccountFrame
      appTitle={settings.appTitle}
      appLogo={settings.appLogo}
      title={i18n.t('init.title')}
      text={i18n.t('init.text')}
    >
      <Form onSubmit={submit} failure={unlock.error && !isAboutFields ? textOf(unlock.error, i18n) : null}>
        <LanguageSelect />
        <TextInput
          label={i18n.t('init.code')}
          description={i18n.t('init.code.help')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          {...form.getInputProps('code')}
        />
        <TextInput
          label={i18n.t('account.newLogin')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('name')}
        />
        <PasswordField
          label={i18n.t('account.password')}
          description={i18n.t('account.password.rules')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <TextInput
          type="email"
          label={i18n.t('account.email')}
          description={i18n.t('init.email.help')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="email"
          {...form.getInputProps('email')}
        />
        <FormActions>
          <Button type="submit" size="sm" fullWidth loading={unlock.isPending}>
            {i18n.t('init.submit')}
          </Button>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}

/** The form's values, and the call that creates the administrator and signs in. */
function useSetup() {
  const i18n = useI18n();
  const enter = useEnter();
  const form = useForm({
    initialValues: { name: 'admin', email: '', password: '', code: '' },
    validate: {
      name: (name) => (name.trim() === '' ? i18n.t('account.login.missing') : null),
      password: (password) => (password === '' ? i18n.t('account.password.missing') : null),
      code: (code) => (code.trim() === '' ? i18n.t('init.code.missing') : null),
    },
  });
  const unlock = useMutation({
    mutationFn: (values: typeof form.values) =>
      api.unlock({
        body: {
          name: values.name.trim(),
          email: values.email.trim(),
          password: values.password,
          code: values.code.trim(),
          language: i18n.language,
        },
      }),
    onSuccess: ({ user, mustChangePassword }) => {
      openFirstSteps(localStorage);
      return enter(user, mustChangePassword);
    },
    onError: (error) => {
      form.setErrors(setupErrorsOf(error, i18n));
      focusFirstError();
    },
  });
  const submit = form.onSubmit((values) => unlock.mutate(values), focusFirstError);
  return { form, unlock, submit };
}

/** The field that each error code of a refused setup belongs to. */
function setupErrorsOf(error: unknown, i18n: I18n): Record<string, string> {
  return fieldErrorsOf(
    error,
    i18n,
    {
      UnknownLifetimeCode: 'code',
      LifetimeCodeRequired: 'code',
      PasswordIsNotComplexEnough: 'password',
    },
    { name: 'account.login.invalid', email: 'account.email.invalid' },
  );
}

/** The language of the page, which becomes that of the new account. */
function LanguageSelect() {
  const i18n = useI18n();
  const { language } = usePage();
  return (
    <NativeSelect
      label={i18n.t('account.language')}
      value={i18n.language}
      data={languages.map((value) => ({ value, label: i18n.t(languageNames[value]) }))}
      onChange={(event) => {
        const chosen = languages.find((one) => one === event.currentTarget.value);
        if (chosen) void language.change(chosen);
      }}
    />
  );
}

/** The database is new but the archive is not: only the console may confirm that this is intended. */
function SetupNotAllowed() {
  const i18n = useI18n();
  const settings = useSettings();
  return (
    <AccountFrame
      appTitle={settings.appTitle}
      appLogo={settings.appLogo}
      title={i18n.t('init.notAllowed.title')}
      text={i18n.t('init.notAllowed.text')}
    >
      <ul>
        <li>
          {i18n.t('init.notAllowed.restore')} <code>{`${settings.command} restore FILE`}</code>
        </li>
        <li>
          {i18n.t('init.notAllowed.allow')} <code>{`${settings.command} allow-setup`}</code>
        </li>
      </ul>
      <Button size="sm" fullWidth onClick={() => window.location.reload()}>
        {i18n.t('init.notAllowed.again')}
      </Button>
    </AccountFrame>
  );
}
